#!/usr/bin/env python3
"""The page of a recording, which the server makes: of one that it has, and of one that is sent to be looked at. Who may ask, what is
refused, and how much memory recordings may have that are being sent.

tier: default
timeout: 120
"""
import http.client
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings
from servers import Server

KINDS = re.compile(r'<script type="application/json" (?:id|class)="candor-data"[^>]*>([^<]*)<')
MARKUP = "</script><script>alert(1)</script><img/src=x/onerror=alert(1)>"
MOST = 1 << 20


def totals(html):
    return {part["kind"]: part["total"] for part in map(json.loads, KINDS.findall(html)) if part}


def converted(path):
    made = path.with_suffix(".html")
    ct.ok(ct.candor("convert", path, made).status == 0, "candor convert makes a page")
    return made.read_text()


def check_pages(server, path):
    wanted = converted(path)
    body = path.read_bytes()
    status, headers, sent = server.request("POST", "/v1/page", body)
    ct.ok(status == 200 and headers["Content-Type"].startswith("text/html") and totals(sent.decode()) == totals(wanted),
          "a recording that is sent: its page", (status, sent[:200]))
    ct.ok(headers["Cache-Control"] == "no-store" and "frame-ancestors 'self'" in headers["Content-Security-Policy"],
          "which nobody keeps, and no other site embeds", headers.items())
    ct.ok(b"alert(1)" in sent and MARKUP.encode() not in sent and b"<img/src" not in sent
          and sent.count(b"<script") == wanted.count("<script"), "names in it are no markup")
    ct.ok(not server.get("/v1/recordings")["recordings"], "the server has kept nothing")
    server.send(body, service="shop", host="a")
    (one,) = server.get("/v1/recordings")["recordings"]
    status, _, of_one = server.request("GET", f"/v1/recordings/{one['id']}/page")
    ct.ok(status == 200 and totals(of_one.decode()) == totals(wanted), "the page of one that the server has", status)
    refused = [server.request("GET", f"/v1/recordings/{end}")[0]
               for end in ("/page", "7777/page", f"{one['id']}/pages", f"{one['id']}/page/", "9" * 30 + "/page")]
    ct.ok(refused == [404] * 5, "others do not exist", refused)
    return one["id"]


def check_refused(server, path):
    body = path.read_bytes()
    for what, sent, wanted in (("nothing", b"", 400), ("no recording", b"\0\1\2 not a recording", 400), ("half of one", body[:60], 400),
                               ("too much", b"x" * (MOST + 1), 413)):
        status, _, said = server.request("POST", "/v1/page", sent)
        ct.ok(status == wanted and "error" in json.loads(said), f"{what}: {wanted}, with the reason", (status, said[:300]))
    status, _, said = server.request("POST", "/v1/page", body, {"Origin": "http://evil.example"})
    ct.ok(status == 403, "not for a page of another site", (status, said))


def part_of(server, n, whole):
    """A connection that has sent n bytes of a body."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=ct.PATIENCE)
    connection.putrequest("POST", "/v1/page")
    connection.putheader("Content-Length", str(whole))
    connection.endheaders()
    connection.send(b"x" * n)
    return connection


def check_memory(server, path):
    """While the bodies of others are being sent, there is room for four of the largest size."""
    held = [part_of(server, MOST, MOST + 1) for _ in range(4)]
    answer = lambda: server.request("POST", "/v1/page", path.read_bytes())
    status, headers = ct.wait_until(lambda: next(((one[0], one[1]) for one in [answer()] if one[0] == 503), None)) or (0, {})
    ct.ok(status == 503 and int(headers["Retry-After"]) > 0, "there is no more room: try again later", status)
    ct.ok(server.request("GET", "/readyz")[0] == 200 and server.send(path.read_bytes(), service="more", host="b")[0] == 200,
          "others are not kept waiting")
    for connection in held[:2]:
        connection.close()
    ct.ok(ct.wait_until(lambda: answer()[0] == 200), "after two have gone, there is room again")
    held[2].send(b"x")
    ct.ok(held[2].getresponse().status == 413, "one that was being sent is answered")
    held[3].close()


def check_tokens(path, one):
    tokens = ct.WORK / "page.tokens"
    all_of, cart, write = [ct.candor("server", "--token-file", tokens, "--new-token", wanted).out.strip() for wanted in
                           ("all:read", "cart:read:service=cart", "hosts:write")]
    server = Server("page", "--token-file", tokens)
    body = path.read_bytes()
    for token, sent, kept in ((all_of, 200, 200), (cart, 200, 404), (write, 403, 403), (None, 401, 401)):
        server.token = token
        seen = server.request("POST", "/v1/page", body)[0], server.request("GET", f"/v1/recordings/{one}/page")[0]
        ct.ok(seen == (sent, kept), "a token reads pages of its services only, and any recording that its holder has", (seen, sent, kept))
    ct.ok(server.end() == 0, "the server ends well")


def main():
    lines = [("setting", "event", "cpu,alloc"), ("thread", MARKUP, 1, 1),
             *[("sample", 1, recordings.MS, "complete", recordings.RUN + f";{MARKUP}.hot:23")] * 50]
    path = recordings.make("page.jfr", lines)
    server = Server("page", "--max-body", MOST)
    one = check_pages(server, path)
    check_refused(server, path)
    check_memory(server, path)
    ct.ok(server.end() == 0, "the server ends well")
    check_tokens(path, one)
    ct.done()


if __name__ == "__main__":
    main()
