#!/usr/bin/env python3
"""Who sends a request, without a token: people whom a proxy has logged in, and clients with certificates.

tier: default
timeout: 120
"""
import http.client
import json
import pathlib
import ssl
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import http2 as h2
from servers import Server, certificate, client_certificate

USER, GROUPS = "X-Forwarded-User", "X-Forwarded-Groups"
PROXY = ("--proxy-user-header", USER, "--proxy-groups-header", GROUPS, "--proxy-from", "10.9.8.7,127.0.0.1/32")
STACKS = b"a.Main.run;a.Hot.loop 7\n"
SEND = "/v1/recordings?service=%s&format=collapsed"
LINES = """
alice read,write user
*@example.org read user service=cart
admins read,write,admin group
ops-* read group service=shop
"""


def make_token(tokens, wanted):
    return ct.candor("server", "--token-file", tokens, "--new-token", wanted).out.strip()


def check_errors():
    tokens, pair = ct.WORK / "none-tokens", certificate("none")
    make_token(tokens, "a:read")
    given = ("--token-file", tokens)
    cases = (((*PROXY,), "--token-file"), ((*PROXY[:2], *given), "--proxy-from"), ((*PROXY[4:], *given), "--proxy-user-header"),
             ((*PROXY[2:4], *given), "--proxy-groups-header"), ((*PROXY[:2], "--proxy-from", "10.0.0.0/33", *given), "10.0.0.0/33"),
             ((*PROXY[:2], "--proxy-from", "proxy.example", *given), "proxy.example"), ((*PROXY[:2], "--proxy-from", "", *given), "empty"),
             (("--tls-client-ca", pair[0], *given), "--tls-cert"),
             (("--tls-client-ca", pair[0], "--tls-cert", pair[0], "--tls-key", pair[1]), "--token-file"))
    for options, said in cases:
        result = ct.candor("server", *options, "--data", ct.WORK / "none")
        ct.ok(result.status == 2 and said in result.err and result.err.count("\n") == 1, f"{said}: one line says what is missing", result)
    wrong = ("--tls-cert", pair[0], "--tls-key", pair[1], "--tls-client-ca", pair[1])
    result = ct.candor("server", *given, *wrong, "--data", ct.WORK / "none")
    ct.ok(result.status == 1 and "--tls-client-ca" in result.err, "a file without certificates", result)
    for line in ("alice user", "alice read person", "alice read user service=", "alice read user max-bytes-per-hour"):
        tokens.write_text(f"{line}\n")
        result = ct.candor("server", *given, "--data", ct.WORK / "none")
        ct.ok(result.status == 1 and "line 1" in result.err, f"'{line}' is no line", result)


# ---- a proxy ----

def ask(server, method, path, headers=(), source="127.0.0.1", content=None):
    """(status, body) of a request from an address of this machine; headers: pairs, of which a name may be there twice."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=ct.PATIENCE, source_address=(source, 0))
    connection.putrequest(method, path)
    for name, value in headers:
        connection.putheader(name, value)
    if content:
        connection.putheader("Content-Length", len(content))
    connection.endheaders(content)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def check_people(server):
    send = lambda service, *headers: ask(server, "POST", SEND % service, headers, content=STACKS)
    get = lambda *headers, **more: ask(server, "GET", "/v1/recordings", headers, **more)
    reload = lambda *headers: ask(server, "POST", "/v1/reload", headers)[0]
    ct.ok(send("cart", (USER, "alice"))[0] == 200 and send("shop", (USER, "alice"))[0] == 200, "a person may do what their line says")
    ct.ok(get((USER, "alice"))[0] == 200 and reload((USER, "alice")) == 403, "and no more")
    ct.ok(get((USER.lower(), "alice"))[0] == 200, "the case of a header's name means nothing")
    seen = json.loads(get((USER, "bob@example.org"))[1])["recordings"]
    ct.ok({one["labels"]["service"] for one in seen} == {"cart"}, "a pattern is good for many, and a line may be for some services", seen)
    ct.ok(send("cart", (USER, "bob@example.org"))[0] == 403, "who may read may not write")
    for user in ("mallory", "alice2", "Alice", "alice,mallory", "x" * 300, "*"):
        status, body = get((USER, user))
        ct.ok(status == 403 and b"--token-file" in body, f"{user[:20]} has no line: 403", body)
    ct.ok(reload((USER, "eve"), (GROUPS, "staff, admins")) == 202, "a group is good for its members")
    ct.ok(reload((USER, "eve"), (GROUPS, "staff, admins2")) == 403 and reload((USER, "admins")) == 403, "and for nobody else")
    seen = json.loads(get((USER, "eve"), (GROUPS, "ops-1"))[1])["recordings"]
    ct.ok({one["labels"]["service"] for one in seen} == {"shop"}, "a group may be for some services", seen)
    ct.ok(reload((USER, "alice"), (GROUPS, "admins")) == 403, "the first line that matches decides")
    ct.ok(get((GROUPS, "admins"))[0] == 401, "groups without a person are nobody")


def check_strangers(server, token):
    get = lambda *headers, **more: ask(server, "GET", "/v1/recordings", headers, **more)
    bearer = ("Authorization", f"Bearer {token}")
    ct.ok(get(bearer)[0] == 200 and get(bearer, source="127.0.0.2")[0] == 200, "tokens are good beside the proxy, and through it")
    ct.ok(get((USER, ""), bearer)[0] == 200 and get((USER, ""))[0] == 401, "without a name in the header, the token decides")
    ct.ok(get((USER, "mallory"), bearer)[0] == 403, "a person has no more rights with a token that the proxy passes on")
    for headers in (((USER, "alice"),), ((USER, "alice"), bearer), ((GROUPS, "admins"), bearer), ((USER, ""),)):
        status, body = get(*headers, source="127.0.0.2")
        ct.ok(status == 403 and b"--proxy-from" in body and b"127.0.0.2" in body, "who is not the proxy may not name anybody", body)
    for headers in (((USER, "mallory"), (USER, "alice")), ((USER, "alice"), (USER, "mallory")),
                    ((USER, "eve"), (GROUPS, "x"), (GROUPS, "admins"))):
        status, body = get(*headers)
        ct.ok(status == 403 and b"2 times" in body, "a header that is there twice is refused", body)
    status, body = ask(server, "POST", "/querier.v1.QuerierService/ProfileTypes", ((USER, "mallory"), ("Content-Type", "application/json")),
                       content=b"{}")
    ct.ok(status == 403 and json.loads(body)["code"] == "permission_denied", "in the form of the API that is asked", body)
    ct.ok(get(("Sec-Fetch-Site", "cross-site"), (USER, "alice"))[0] == 403, "another site's page does not speak for a person")


def over_http2(server, *headers):
    with h2.Connection(server.port) as connection:
        connection.send(h2.request(1, "/v1/recordings", "GET", *headers))
        return connection.answer(1)


def check_http2(server):
    """The same headers on streams of HTTP/2, of the proxy and of anybody else."""
    user = USER.lower()
    statuses = [over_http2(server, *headers)[0] for headers in (((user, "alice"),), ((user, "mallory"),), ((user, "alice"), (user, "eve")), ())]
    ct.ok(statuses == [200, 403, 403, 401], "the same over HTTP/2", statuses)
    tokens = ct.WORK / "people-tokens"
    other = Server("strangers", "--token-file", tokens, "--proxy-user-header", USER, "--proxy-from", "10.9.8.7")
    status = over_http2(other, (user, "alice"))[0]
    ct.ok(status == 403 and other.end() == 0, "and who is not the proxy is refused there, too", status)


def check_proxy():
    tokens, log = ct.WORK / "people-tokens", ct.WORK / "people-access.log"
    token = make_token(tokens, "daemon:read,write")
    tokens.write_text(tokens.read_text() + LINES)
    server = Server("people", "--token-file", tokens, "--access-log", log, *PROXY)
    check_people(server)
    check_strangers(server, token)
    check_http2(server)
    ct.ok(ask(server, "GET", "/metrics", ((USER, "alice"),))[1].count(b'requests_total{token="alice"}') == 1, "requests count by line")
    ct.ok(server.end() == 0, "ends by SIGTERM")
    named = {json.loads(line).get("token") for line in log.read_text().splitlines()}
    ct.ok({"alice", "bob@example.org", "eve", "daemon"} <= named and "admins" not in named, "the log names the person", named)


# ---- certificates ----

def over_tls(server, pair, method, path, content=None, headers=None):
    """(status, body), or the error of a connection that the server refuses."""
    context = ssl.create_default_context(cafile=server.tls[0])
    if pair:
        context.load_cert_chain(*pair)
    connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=ct.PATIENCE, context=context)
    try:
        connection.request(method, path, content, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__, str(error).encode()
    finally:
        connection.close()


def check_certificates():
    tokens, authority, other = ct.WORK / "cert-tokens", certificate("authority"), certificate("other")
    token = make_token(tokens, "reader:read")
    tokens.write_text(tokens.read_text() + "web-*.test write certificate service=cart\nold read certificate\n")
    made = {name: client_certificate(name, signer, common, *extensions) for name, signer, common, extensions in (
        ("web", authority, "somebody", ("subjectAltName=IP:10.0.0.1,DNS:web-1.test,DNS:old",)), ("old", authority, "old", ()),
        ("unknown", authority, "web-1.example", ()), ("named", authority, "old", ("subjectAltName=DNS:web-1.example",)),
        ("foreign", other, "old", ()), ("server", authority, "old", ("extendedKeyUsage=serverAuth",)),
        ("client", authority, "old", ("extendedKeyUsage=clientAuth",)))}
    made["itself"] = other
    server = Server("certificates", "--token-file", tokens, "--tls-client-ca", authority[0], tls=certificate("front"))
    bearer = {"Authorization": f"Bearer {token}"}
    ask = lambda name, **more: over_tls(server, made.get(name), "GET", "/v1/services", **more)
    send = lambda name, service: over_tls(server, made.get(name), "POST", SEND % service, STACKS)
    ct.ok((send("web", "cart")[0], send("web", "shop")[0], ask("web")[0]) == (200, 403, 403), "its first DNS name has a line")
    ct.ok(ask("old")[0] == 200 and send("old", "cart")[0] == 403 and ask("client")[0] == 200, "without one, its common name has")
    for name in ("unknown", "named"):
        status, body = ask(name)
        ct.ok(status == 403 and b"web-1.example" in body, "a name without a line: 403", body)
    for name in ("foreign", "itself", "server"):
        status, body = ask(name)
        ct.ok(status not in (200, 401, 403), f"{name}: a certificate that is not good ends the connection", (status, body))
    ct.ok(ask(None)[0] == 401 and ask(None, headers=bearer)[0] == 200, "who has none may have a token")
    ct.ok(ask("unknown", headers=bearer)[0] == 200 and ask("old", headers={"Authorization": "Bearer x"})[0] == 401,
          "with both, the token decides")
    ct.ok(server.end() == 0, "ends by SIGTERM")


def main():
    check_errors()
    check_proxy()
    check_certificates()
    ct.done()


if __name__ == "__main__":
    main()
