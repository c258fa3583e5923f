#!/usr/bin/env python3
"""Limits of tokens: requests, bytes, and labels beyond them are refused and counted; who sends too much keeps nobody else waiting; and
if all send too much together, what has waited for long is refused.

tier: default
timeout: 180
"""
import base64
import json
import os
import pathlib
import re
import signal
import socket
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import http2 as h2
import otlps
import pprofs
from servers import Server

BEGIN = 1700000000
TIME = {"from": BEGIN - 86400, "to": BEGIN + 86400}
JSON = {"Content-Type": "application/json"}
OPTIONS = ("max-requests-per-second", "max-bytes-per-second", "max-burst-bytes", "max-bytes-per-minute",
           "max-bytes-per-hour", "max-series-per-day", "max-label-values-per-day")


def make_token(tokens, wanted):
    return ct.candor("server", "--token-file", tokens, "--new-token", wanted).out.strip()


def body(n, size=1000):
    """A recording of n samples that takes this many bytes."""
    line = f"a.Main.run;a.Hot.loop{n} {n}\n"
    return (f"a.{'x' * (size - len(line) - 5)} 1\n" + line).encode()


def send(server, content, host="h", service="cart", headers=None, **more):
    return server.request("POST", "/v1/recordings", content, headers, service=service, host=host,
                          **{"from": BEGIN, "until": BEGIN + 60, "format": "collapsed", **more})


def refusals(server, name, operator):
    """{option: count} for a token, as /metrics has it."""
    text = server.request("GET", "/metrics", headers={"Authorization": f"Bearer {operator}"})[2].decode()
    found = re.findall(r'candor_server_token_refused_total\{token="%s",limit="([^"]+)"\} (\d+)' % name, text)
    return {option: int(count) for option, count in found}


def is_refusal(answer, option, most_s):
    status, headers, content = answer
    wait = headers["Retry-After"]
    return status == 429 and option.encode() in content and wait and 1 <= int(wait) <= most_s


def spend(server, seconds, tries, attempt):
    """(good answers, refusals, windows of the limit in which they may have been)."""
    first = int(time.time()) // seconds
    answers = [attempt(n) for n in range(tries)]
    windows = int(time.time()) // seconds - first + 1
    return [a for a in answers if a[0] == 200], [a for a in answers if a[0] != 200], windows


# ---- what may be written ----

def check_errors():
    tokens = ct.WORK / "wrong-tokens"
    make_token(tokens, "a:write")
    line = tokens.read_text().strip()
    wrong = [f"{option}={value}" for option in OPTIONS for value in ("", "0", "x", "-1")]
    for words in (*wrong, "max-series-per-day=9999999", "max-bytes-per-hour=1G max-bytes-per-hour=2G", "max-disk=1G", "=5",
                  "max-bytes-per-hour"):
        tokens.write_text(f"{line} {words}\n")
        result = ct.candor("server", "--token-file", tokens, "--data", ct.WORK / "none")
        ct.ok(result.status == 1 and "line 1" in result.err and result.err.count("\n") == 1, f"'{words}' in a line: refused", result)
    for option in OPTIONS:
        result = ct.candor("server", f"--{option}", "0", "--token-file", tokens, "--data", ct.WORK / "none")
        ct.ok(result.status == 2 and option in result.err, f"--{option} 0 is refused", result)
    result = ct.candor("server", "--max-bytes-per-hour", "1G", "--data", ct.WORK / "none")
    ct.ok(result.status == 2 and "--token-file" in result.err, "limits want tokens", result)
    tokens.unlink()
    make_token(tokens, "b:read,write:max-bytes-per-hour=2G max-series-per-day=none service=my shop|cart-*")
    text = tokens.read_text()
    ct.ok(text.endswith(" max-bytes-per-hour=2G max-series-per-day=none service=my shop|cart-*\n"), "--new-token takes limits", text)


# ---- each limit ----

def check_requests(server, operator):
    good, bad, windows = spend(server, 1, 100, lambda n: server.request("GET", "/v1/services"))
    ct.ok(bad and all(is_refusal(answer, "max-requests-per-second", 1) for answer in bad), "too many requests in a second: 429", bad[:1])
    ct.ok(1 <= len(good) <= 5 * windows, f"{len(good)} of 100 within {windows} s are answered")
    call = None
    while not call or call[0] == 200:
        call = server.request("POST", "/querier.v1.QuerierService/ProfileTypes", b"{}", JSON)
        bad.append(call)
    ct.ok(is_refusal(call, "max-requests-per-second", 1) and json.loads(call[2])["code"] == "resource_exhausted",
          "in the form of the API that is asked", call)
    counted = refusals(server, "asks", operator)["max-requests-per-second"]
    ct.ok(counted == sum(answer[0] == 429 for answer in bad), "each is counted by the token's name", counted)
    ct.ok(server.request("GET", "/healthz")[0] == 200, "/healthz wants no token, and has no limit")


def check_bytes(server, operator, tokens):
    for name, option, seconds in (("minute", "max-bytes-per-minute", 60), ("hour", "max-bytes-per-hour", 3600)):
        server.token = tokens[name]
        good, bad, windows = spend(server, seconds, 12, lambda n: send(server, body(n), host=name))
        ct.ok(bad and all(is_refusal(answer, option, seconds) for answer in bad), f"{option}: 429", (good, bad[:1]))
        ct.ok(3 <= len(good) <= 3 * windows, f"what fits into {windows} times 3500 bytes is taken: {len(good)}", good)
        large = send(server, body(1, 4000), host=name)
        ct.ok(large[0] == 413 and option.encode() in large[2], "what alone is more never fits: 413", large)
        ct.ok(refusals(server, name, operator)[option] == len(bad) + 1, "each is counted", refusals(server, name, operator))
        server.token = operator
        seen = server.total(f'host="{name}"', type="cpu:samples", **TIME)
        ct.ok(seen == sum(n + 1 for n in range(len(good))), "and what was taken is there, to the unit", (seen, len(good)))


def check_rate(server, operator, tokens):
    """A burst is taken at once, then as much as the rate allows, and never a recording that is larger than a burst."""
    server.token = tokens["rate"]
    began = time.monotonic()
    answers = [send(server, body(n), host="rate") for n in range(20)]
    seconds = int(time.monotonic() - began) + 2  # the clock's seconds that may have begun
    good, bad = [a for a in answers if a[0] == 200], [a for a in answers if a[0] != 200]
    ct.ok(4 <= len(good) <= 4 + seconds, f"a burst of 4000 bytes, then 1000 a second: {len(good)} in {seconds} s", bad[:1])
    ct.ok(bad and all(is_refusal(answer, "max-bytes-per-second", 1) for answer in bad), "beyond the rate: 429", bad[:1])

    def waits_longer():
        while send(server, body(28), host="rate")[0] == 200:
            pass
        whole = send(server, body(29, 4000), host="rate")
        return is_refusal(whole, "max-bytes-per-second", 5) and int(whole[1]["Retry-After"]) > 1

    ct.ok(ct.wait_until(waits_longer), "a whole burst must wait until all is worked off")
    ct.ok(ct.wait_until(lambda: send(server, body(30), host="rate")[0] == 200), "later there is room again")
    large = send(server, body(1, 4001), host="rate")
    ct.ok(large[0] == 413 and b"max-burst-bytes" in large[2], "what is larger than a burst never fits: 413", large)
    counted = refusals(server, "rate", operator)
    ct.ok(counted["max-bytes-per-second"] >= len(bad) and counted["max-burst-bytes"] == 1, "each is counted", counted)


def check_chunks(server, operator, tokens):
    """Bodies without a length, and bodies that end early."""
    server.token = tokens["chunks"]
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", server.port), ct.PATIENCE) as raw:
            raw.sendall(b"POST /v1/recordings?service=cart HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + server.token.encode() +
                        b"\r\nContent-Length: 3000\r\n\r\na 1\n")
            ct.wait_until(lambda: server.metrics_of(operator)["candor_server_recordings_in_progress"] == 1)
        ct.wait_until(lambda: server.metrics_of(operator)["candor_server_recordings_in_progress"] == 0)
    good, bad, windows = spend(server, 3600, 8, lambda n: send(server, iter([body(n)[:500], body(n)[500:]]), host="chunks"))
    ct.ok(3 <= len(good) <= 3 * windows, "bodies that ended early have given their bytes back, and chunks count", (good, bad))
    ct.ok(bad and all(is_refusal(answer, "max-bytes-per-hour", 3600) for answer in bad), "beyond the limit: 429", bad)


def push(server, *hosts):
    profile = pprofs.make((("samples", "count"), ("cpu", "nanoseconds")), [("a", (1, 10**7))], start=BEGIN)
    series = [{"labels": [{"name": name, "value": value} for name, value in
                          (("__name__", "process_cpu"), ("service_name", "cart"), ("host", host))],
               "samples": [{"rawProfile": base64.b64encode(profile).decode()}]} for host in hosts]
    return server.request("POST", "/push.v1.PusherService/Push", json.dumps({"series": series}).encode(), JSON)


def otlp(server, host):
    maker = otlps.Maker()
    maker.resource({"service.name": "cart", "host.name": host},
                   maker.profile("samples", "count", [("f", [3], [])], BEGIN * 10**9, ("cpu", "nanoseconds", 10**7)))
    return server.request("POST", "/v1development/profiles", maker.message(), {"Content-Type": "application/x-protobuf"})


def ingest(server, host):
    return server.request("POST", "/ingest", b"a 1\n", name=f"cart{{host={host}}}", format="folded", **{"from": BEGIN, "until": BEGIN + 60})


def check_labels(server, operator, tokens):
    for name, option, others in (("series", "max-series-per-day", {}), ("values", "max-label-values-per-day", {"zone": "z"})):
        server.token = tokens[name]
        good, bad, windows = spend(server, 86400, 10, lambda n: send(server, body(n), host=f"h{n}", **others))
        ct.ok(3 <= len(good) <= 3 * windows and bad and all(is_refusal(answer, option, 3600) for answer in bad), f"{option}: 429",
              (good, bad[:1]))
        again = [send(server, body(20 + n), host=f"h{n}", **others)[0] for n in range(3)]
        ct.ok(again == [200] * 3 or windows > 1, "those that were seen before are taken", again)
        tries = [push(server, "p1", "p2"), otlp(server, "o"), ingest(server, "i")]
        ct.ok(all(is_refusal(answer, option, 3600) for answer in tries), "so it is by every way in", tries)
        ct.ok(json.loads(tries[0][2])["code"] == "resource_exhausted", "in the form of each", tries[0])
        counted = refusals(server, name, operator)[option]
        ct.ok(counted == len(bad) + 4, "each is counted, also those in one message", counted)


def check_books(server, operator):
    server.token = operator
    m = server.metrics()
    limited = m['candor_server_recordings_refused_total{reason="limit"}']
    ct.ok(ct.wait_until(server.balances) and limited > 20, "the books balance with them", limited)
    secrets = [line.split()[2] for line in (ct.WORK / "tokens").read_text().splitlines()]
    text = server.request("GET", "/metrics")[2].decode()
    ct.ok(not any(secret in text for secret in secrets) and operator not in text, "/metrics has names, and no secrets or digests")


# ---- reload, defaults ----

def reload(server):
    log = pathlib.Path(server.log.name)
    before = len(log.read_text())
    server.process.send_signal(signal.SIGHUP)
    ct.wait_until(lambda: "configuration" in log.read_text()[before:])
    return log.read_text()[before:]


def check_reload():
    tokens, file = ct.WORK / "reloaded-tokens", ct.WORK / "reloaded.conf"
    token = make_token(tokens, "t:read,write")
    free = make_token(tokens, "free:read,write:max-series-per-day=none")
    file.write_text(f"token-file = {tokens}\nmax-series-per-day = 2\n")
    server = Server("reloaded", "--config", file, token=token)
    first, bad, windows = spend(server, 86400, 5, lambda n: send(server, body(n), host=f"h{n}"))
    ct.ok(2 <= len(first) <= 2 * windows and bad, "the default of --config", (first, bad))
    server.token = free
    ct.ok(all(send(server, body(n), host=f"f{n}")[0] == 200 for n in range(5)), "a line may lift it")
    server.token = second = make_token(tokens, "t:read,write")
    ct.ok("3 tokens" in reload(server) and (send(server, body(7), host="new")[0] == 429 or windows > 1),
          "a second token of the same name has the same limit, and a reload forgets nothing")
    file.write_text(f"token-file = {tokens}\nmax-series-per-day = 4\n")
    said = reload(server)
    more, bad, windows = spend(server, 86400, 5, lambda n: send(server, body(30 + n), host=f"m{n}"))
    ct.ok("--max-series-per-day" in said and 2 <= len(more) <= 4 * windows - 2 and bad, "SIGHUP raises it", (said, more, bad))
    tokens.write_text("".join(line for line in tokens.read_text().splitlines(True) if not line.startswith("t ")))
    reload(server)
    ct.ok(server.request("GET", "/v1/services")[0] == 401, "without its lines the token is nobody's")
    server.token = free
    ct.ok('token="t"' not in server.request("GET", "/metrics")[2].decode() and second, "and what was counted of it is forgotten")
    ct.ok(server.end() == 0, "ends by SIGTERM")


# ---- one who sends too much ----

def check_list():
    """Who may do what, and when they last did something, without secrets, and for the scope admin only."""
    tokens = ct.WORK / "listed.tokens"
    operator, shop = make_token(tokens, "operator:read,admin"), make_token(tokens, "shop:write:max-bytes-per-hour=2M service=shop|cart-*")
    make_token(tokens, "unused:profile")
    with open(tokens, "a") as out:
        out.write("*@example.org read user\n")
    server = Server("listed", "--token-file", tokens, token=shop)
    begun = int(time.time())
    sent = body(1)
    ct.ok(send(server, sent, service="shop")[0] == 200, "a recording is taken")
    ct.ok(server.request("GET", "/v1/tokens")[0] == 403, "a token without the scope admin sees no tokens")
    server.token = operator
    content = server.request("GET", "/v1/tokens")[2].decode()
    answer = json.loads(content)
    listed = {one["name"]: one for one in answer["tokens"]}
    rights = [(one["name"], one["kind"], one["scopes"], one["services"], one["limits"]) for one in answer["tokens"]]
    ct.ok(answer["required"] and rights == [
        ("operator", "token", ["read", "admin"], "*", {}), ("shop", "token", ["write"], "shop|cart-*", {"max-bytes-per-hour": 2 << 20}),
        ("unused", "token", ["profile"], "*", {}), ("*@example.org", "user", ["read"], "*", {})], "all lines, with their rights", answer)
    used = listed["shop"]
    ct.ok(begun <= used["last_used"] <= time.time() and used["requests"] == 2 and used["bytes"] == len(sent), "what shop did", used)
    ct.ok(listed["unused"]["last_used"] is None and listed["unused"]["requests"] == 0, "one that was not used", listed["unused"])
    digests = [line.split()[2] for line in tokens.read_text().splitlines() if len(line.split()[2]) == 64]
    ct.ok(len(digests) == 3 and not any(secret in content for secret in (operator, shop, *digests)), "no secret and no digest is in it")
    server.end()
    open_server = Server("open")
    ct.ok(open_server.get("/v1/tokens") == {"required": False, "tokens": []}, "a server without tokens says so")
    open_server.end()


def check_noisy():
    tokens = ct.WORK / "noisy-tokens"
    noisy, calm = (make_token(tokens, wanted) for wanted in
                   ("noisy:read,write:max-requests-per-second=3 service=noisy", "calm:read,write:service=calm"))
    server = Server("noisy", "--token-file", tokens, token=calm)
    statuses, ending = [], threading.Event()

    def flood():
        bearer = {"Authorization": f"Bearer {noisy}"}
        while not ending.is_set():
            statuses.append(send(server, body(len(statuses) % 50), service="noisy", headers=bearer)[0])

    threads = [threading.Thread(target=flood) for _ in range(4)]
    for thread in threads:
        thread.start()
    answers = [send(server, body(n), service="calm")[0] for n in range(60)]
    ct.wait_until(lambda: 429 in statuses)
    ending.set()
    for thread in threads:
        thread.join()
    ct.ok(set(answers) == {200} and server.total(type="cpu:samples", **TIME) == sum(n + 1 for n in range(60)),
          "beside one who is refused, all that another sends is taken", answers)
    ct.ok(set(statuses) == {200, 429}, f"who sends too much is refused: {statuses.count(429)} of {len(statuses)}", set(statuses))
    ct.ok(server.end() == 0, "ends by SIGTERM")


def check_hanging():
    """A tenant whose queries never end, more than there are threads, and whose token comes in many forms."""
    tokens = ct.WORK / "hanging-tokens"
    noisy, calm, operator = (make_token(tokens, wanted) for wanted in
                             ("noisy:read,write:service=noisy", "calm:read,write:service=calm", "operator:read"))
    server = Metered("hanging", "--token-file", tokens, token=noisy)
    send(server, body(5), service="noisy")
    segment = next((server.data / "segments").rglob("*.seg"))
    segment.unlink()
    os.mkfifo(segment)
    server.token = calm
    send(server, body(7), service="calm")
    forms = [f"Bearer {noisy}", *(f"Basic {base64.b64encode(f'{user}:{noisy}'.encode()).decode()}" for user in range(39))]
    held = [server.connection() for _ in range(20)]
    question = "/v1/methods?" + urllib.parse.urlencode(TIME)
    for i, one in enumerate(held):
        one.request("GET", question, headers={"Authorization": forms[i]})
    streams = h2.Connection(server.port)
    streams.send(*(h2.request(2 * i + 1, question, "GET", ("authorization", forms[20 + i])) for i in range(20)))
    ct.wait_until(lambda: server.metrics_of(operator)['candor_server_token_requests_total{token="noisy"}'] > 12)
    answers = [server.total(type="cpu:samples", **TIME) for _ in range(5)]
    ct.ok(answers == [8] * 5, "forty of a tenant's queries hang, and another's are answered", answers)
    server.end(signal.SIGKILL)
    for one in (*held, streams.raw):
        one.close()


def check_waiting():
    """A server for which every recording has waited for too long, until a reload."""
    file = ct.WORK / "waiting.conf"
    file.write_text("max-send-wait = 1ns\n")
    server = Server("waiting", "--config", file)
    tries = [send(server, body(1)), send(server, iter([body(2)])), push(server, "p"), otlp(server, "o"), ingest(server, "i")]
    ct.ok(all(is_refusal(answer, "--max-send-wait", 60) for answer in tries), "after too long a wait 429, by every way in", tries)
    ct.ok(json.loads(tries[2][2])["code"] == "resource_exhausted", "in the form of each", tries[2])
    refused = server.metrics()['candor_server_recordings_refused_total{reason="busy"}']
    ct.ok(refused == len(tries) and server.balances(), "each is counted", refused)
    ct.ok(server.request("GET", "/v1/services")[0] == 200, "questions are answered")
    file.write_text("max-send-wait = 1h\n")
    said = reload(server)
    tries = [send(server, body(1)), send(server, iter([body(2)])), push(server, "p"), otlp(server, "o"), ingest(server, "i")]
    ct.ok("--max-send-wait" in said and all(answer[0] == 200 for answer in tries), "with more patience they are taken", tries)
    ct.ok(server.end() == 0, "ends by SIGTERM")


class Metered(Server):
    def metrics_of(self, token):
        """As metrics(), with another token."""
        own, self.token = self.token, token
        try:
            return self.metrics()
        finally:
            self.token = own


def main():
    if time.time() % 86400 > 86400 - 90:
        time.sleep(100)  # limits of a day begin anew at midnight
    check_errors()
    tokens = ct.WORK / "tokens"
    operator = make_token(tokens, "operator:read,write")
    made = {name: make_token(tokens, f"{name}:read,write:{limit}") for name, limit in
            (("asks", "max-requests-per-second=5"), ("rate", "max-bytes-per-second=1000 max-burst-bytes=4000"),
             ("minute", "max-bytes-per-minute=3500"), ("hour", "max-bytes-per-hour=3500 service=c*"),
             ("chunks", "max-bytes-per-hour=3500"), ("series", "max-series-per-day=3"), ("values", "max-label-values-per-day=5"))}
    server = Metered("limits", "--token-file", tokens, token=made["asks"])
    check_requests(server, operator)
    check_bytes(server, operator, made)
    check_rate(server, operator, made)
    check_chunks(server, operator, made)
    check_labels(server, operator, made)
    check_books(server, operator)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    check_reload()
    check_list()
    check_noisy()
    check_hanging()
    check_waiting()
    ct.done()


if __name__ == "__main__":
    main()
