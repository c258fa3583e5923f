#!/usr/bin/env python3
"""candor report, diff and convert with a server: sums to the nanosecond, adjacent ranges, and one line for everything that can go wrong.

tier: default
timeout: 240
"""
import http.server
import json
import pathlib
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import flamedata
import recordings
from servers import Server, certificate

MS = 1_000_000
BEGUN = int(time.time()) // 60 * 60 - 6000  # of the first of two minutes
LATER = BEGUN + 3600
EARLY, LATE = ("--from", BEGUN, "--until", BEGUN + 60), ("--from", LATER, "--until", LATER + 60)
DAY = ("--from", "2023-11-14T00:00:00Z", "--until", "2023-11-15T00:00:00Z")  # that of recordings.make


def fill(server):
    """shop: two minutes, an hour apart, with different hot methods; cart beside them; and a recording with threads and failures."""
    for begun, version, stacks in ((BEGUN, 1, "early 300"), (LATER, 2, "late 600")):
        body = f"shop.Main.run;shop.Work.{stacks}\nshop.Main.run;shop.Work.same 400\n"
        server.request("POST", "/ingest", body.encode(), name="shop{version=%d}" % version, format="folded",
                       **{"from": begun, "until": begun + 60})
    server.request("POST", "/ingest", b"cart.Main.run 7\n", name="cart", format="folded", **{"from": BEGUN, "until": BEGUN + 60})


def report(*arguments, **keywords):
    result = ct.candor("report", "--json", *arguments, **keywords)
    return json.loads(result.out) if result.status == 0 else {"failed": str(result), "sampled": None, "methods": []}


def shares(found, *fields):
    return {row["name"]: [row[field] for field in fields] for row in found}


def test_report(server):
    shop = ("--select", 'service="shop"', server.url)
    early, late = report(*EARLY, *shop), report(*LATE, *shop)
    ct.ok(early["sampled"] == 700 * 10 * MS and shares(early["methods"], "self") ==
          {"shop.Work.same": [4000 * MS], "shop.Work.early": [3000 * MS], "shop.Main.run": [0]}, "a minute of one service", early)
    ct.ok(early["source"] == "candor server" and early["unit"] == "ns" and early["start_ns"] == BEGUN * 10**9 and
          early["duration_ns"] == 60 * 10**9, "what it is of", early)
    both = report("--from", BEGUN, "--until", LATER + 60, *shop)
    ct.ok(both["sampled"] == early["sampled"] + late["sampled"] == 1700 * 10 * MS, "the sum of both", both)
    parts = [report("--from", a, "--until", b, *shop)["sampled"] for a, b in ((BEGUN, LATER), (LATER, LATER + 60))]
    ct.ok(sum(parts) == both["sampled"], "times that meet share nothing and miss nothing", parts)
    everything = report("--from", "-2h", "--until", "now", server.url)
    ct.ok(everything["sampled"] == both["sampled"] + 70 * MS, "relative times; without --select all services", everything)
    hour = report("--from", f"-{int(time.time()) + 600 - LATER}s", *shop)
    ct.ok(hour["sampled"] == late["sampled"], "--from alone is until now", hour)
    before = report("--until", BEGUN + 60, *shop)
    ct.ok(before["sampled"] == early["sampled"], "--until alone is the hour before", before)
    matched = report("--from", "-2h", "--select", 'service=~"sh.*",version!="1"', server.url + "/")
    ct.ok(matched["sampled"] == late["sampled"], "regular expressions, and a slash behind the address", matched)
    typed = report(*EARLY, "--value", "cpu:ns", *shop)
    ct.ok(typed["sampled"] == early["sampled"], "--value is the type", typed)
    text = ct.candor("report", *EARLY, *shop)
    ct.ok(text.status == 0 and "shop.Work.same" in text.out and "candor server" in text.out and not text.err, "as text", text)
    ct.ok("The books stay on the server" in text.out and "has no books" not in text.out, "the books are said to be on the server", text)
    page = ct.WORK / "shop.html"
    made = ct.candor("convert", *EARLY, *shop, page)
    data = flamedata.read(page.read_text(encoding="utf-8"))
    ct.ok(made.status == 0 and data["books"] is None and data["books_elsewhere"] is True, "and so does a page", made)
    filtered = report(*EARLY, "--method", "early", *shop)
    ct.ok(filtered["sampled"] == 3000 * MS and filtered["filtered"] == 4000 * MS, "a filter works as on files", filtered)


def test_nothing_lost(server):
    """A recording read from the server compared with the same file: methods, lines and threads with their weights and numbers."""
    path = recordings.make("whole.jfr", recordings.example())
    server.send(path.read_bytes(), service="whole")
    whole = ("--select", 'service="whole"', *DAY, server.url)
    here, there = report(path), report(*whole)
    for rows in ("methods", "lines"):
        fields = ("self", "total", "samples", "self_samples", "types")
        ct.ok(shares(here[rows], *fields) == shares(there.get(rows, []), *fields), f"the same {rows}", (here[rows], there))
    ct.ok(there["sampled"] == here["sampled"] and there["sample_count"] == here["sample_count"], "the same sums", there)
    threads = [{row["name"]: row["self"] for row in found.get("threads", [])} for found in (here, there)]
    ct.ok(threads[0] == threads[1] and threads[0], "the same threads", threads)
    out = ct.WORK / "whole.collapsed"
    result = ct.candor("convert", "--unit", "ns", *whole, out)
    total = sum(int(line.rsplit(" ", 1)[1]) for line in out.read_text().splitlines()) if result.status == 0 else result
    ct.ok(total == here["sampled"], "converted, with the same sum", total)
    result = ct.candor("convert", *whole, ct.WORK / "whole.jfr.gz")
    ct.ok(result.status == 1 and "/v1/recordings/ID" in result.err, "no recording is made of it", result)
    merged = report(path, server.url, "--select", 'service="whole"', *DAY)
    ct.ok(merged["sampled"] == 2 * here["sampled"], "a file and a server add up", merged)


def test_diff(server):
    shop = ("--select", 'service="shop"')
    second = ("--from2", LATER, "--until2", LATER + 60)
    result = ct.candor("diff", "--json", *EARLY, *second, *shop, server.url, server.url)
    found = json.loads(result.out) if result.status == 0 else {"methods": [], "a": {}, "b": {}}
    ct.ok({m["name"]: m["self"]["change"] for m in found["methods"] if m["self"]["change"] in ("new", "gone")} ==
          {"shop.Work.early": "gone", "shop.Work.late": "new"}, "two times of one server", result)
    ct.ok(found["a"].get("sampled") == 700 * 10 * MS and found["b"].get("sampled") == 1000 * 10 * MS, "their sums", found)
    ct.ok(str(BEGUN) in found["a"].get("name", "") and str(LATER) in found["b"].get("name", "") and
          'service="shop"' in found["b"].get("name", ""), "and what they are", (found["a"], found["b"]))
    result = ct.candor("diff", "--json", "--from", "-2h", "--select", 'version="1"', "--select2", 'version="2"', server.url, server.url)
    found = json.loads(result.out) if result.status == 0 else {}
    ct.ok([found.get(side, {}).get("sampled") for side in "ab"] == [7000 * MS, 10000 * MS], "two selections", result)
    page = ct.WORK / "diff.html"
    result = ct.candor("diff", "--all", "--json", "--value", "cpu:ns", *EARLY, *shop, "-o", page, server.url, server.url, *second)
    ct.ok(result.status == 0 and page.exists(), "a page of it", result)
    absolute = ct.candor("diff", "--json", "--absolute", *EARLY, *second, *shop, server.url, server.url)
    found = json.loads(absolute.out) if absolute.status == 0 else {}
    ct.ok(found.get("a", {}).get("seconds") == 60, "--absolute is per second of the time that was requested", absolute)
    same = ct.candor("diff", *EARLY, server.url, server.url)
    ct.ok(same.status == 2 and "--from2" in same.err, "the same twice is refused", same)


def one_line(result, status, *words):
    return result.status == status and result.err.count("\n") == 1 and all(word in result.err for word in words) and not result.out


def test_wrong(server):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        closed = f"http://127.0.0.1:{taken.getsockname()[1]}"
    cases = [
        ("nobody there", (closed,), 1, (closed, "candor server")),
        ("no such host", ("http://nowhere.invalid:4041",), 1, ("nowhere.invalid",)),
        ("a selector that matches nothing", ("--select", 'service="nope"', server.url), 1, ('service="nope"', "-1h")),
        ("a time without anything", ("--until", "2001-01-01T00:00:00Z", server.url), 1, ("no recordings", "2001-01-01")),
        ("a value that nothing has", (*EARLY, "--value", "alloc:bytes", server.url), 1, ("alloc:bytes",)),
        ("no selector", ("--select", "service=shop", server.url), 2, ("selector", "character 9")),
        ("no regular expression", ("--select", 'a=~"("', server.url), 2, ("selector",)),
        ("no time", ("--from", "yesterday", server.url), 2, ("--from", "yesterday", "-1h")),
        ("no time at the end", ("--until", "x", server.url), 2, ("--until", "'x'")),
        ("times in the wrong order", ("--from", "-1h", "--until", "-2h", server.url), 2, ("--until", "must be later than")),
        ("a format of a server", ("--from", "pprof", server.url), 2, ("pprof", "time")),
        ("a time of a file", ("--from", "-1h", "x.jfr"), 2, ("-1h", "jfr|", "|pprof|")),
        ("a selector of a file", ("--select", "a", "x.jfr"), 2, ("--select", "http://")),
        ("a token in the address", ("http://me:secret@host:1",), 2, ("token", "file")),
        ("a query in the address", ("http://host:1/?select=x",), 2, ("http://HOST:PORT",)),
        ("no token file", ("--token-file", "/none", server.url), 1, ("/none",)),
        ("no such certificates", ("--ca-file", "/none.pem", server.url.replace("http:", "https:")), 1, ("/none.pem",)),
    ]
    for what, arguments, status, words in cases:
        result = ct.candor("report", *arguments)
        ct.ok(one_line(result, status, *words), f"{what}: {status}, one line", result)


class Odd(http.server.BaseHTTPRequestHandler):
    """Not quite a Candor server: the path before /v1/profile says what is different."""
    good = b""

    def log_message(self, *_):
        pass

    def do_GET(self):
        how = self.path.split("/")[1]
        self.send_response({"moved": 301, "html": 404, "broken": 500, "busy": 503}.get(how, 200))
        sums = {"X-Candor-Recordings": "1", "X-Candor-Total": "1000000000", "X-Candor-Complete": "true"}
        body = self.good
        if how in ("html", "other", "broken"):
            sums, body = {}, b"<html>\x1b[31mhello</html>"
        elif how == "busy":
            sums, body = {}, json.dumps({"error": "out of \x1b[31mmemory: ask for less"}).encode()
        elif how == "moved":
            sums, body = {"Location": "http://elsewhere:1/\x07"}, b""
        elif how == "lies":
            sums["X-Candor-Total"] = "1000000001"
        elif how == "partly":
            sums |= {"X-Candor-Complete": "false", "X-Candor-Missing": "incomplete: 2 \x1b[31mparts"}
        elif how == "garbage":
            body = b"\x0a\xff\xff\xff\x7f" + body
        for name, value in sums.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) + (10 if how == "short" else 0)))
        self.end_headers()
        self.wfile.write(body)


def test_odd(server):
    Odd.good = server.request("GET", "/v1/profile", select='service="odd"', **{"from": BEGUN, "to": BEGUN + 60})[2]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Odd) as odd:
        threading.Thread(target=odd.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{odd.server_address[1]}"
        good = report(url + "/good")
        ct.ok(good["sampled"] == 1000 * MS, "behind the path of a proxy", good)
        for how, words in (("html", ("not a Candor server", "404")), ("other", ("not a Candor server",)), ("broken", ("500",)),
                           ("busy", ("503", "ask for less")), ("moved", ("redirects", "elsewhere:1")),
                           ("lies", ("1000000000", "1000000001")), ("short", ("bytes",)), ("garbage", (url,))):
            result = ct.candor("report", f"{url}/{how}")
            ct.ok(one_line(result, 1, *words) and "\x1b" not in result.err and "\x07" not in result.err, f"{how}: one line", result)
        partly = ct.candor("report", "--json", f"{url}/partly")
        ct.ok(partly.status == 0 and json.loads(partly.out)["sampled"] == 1000 * MS and "incomplete: 2 " in partly.err and
              "\x1b" not in partly.err and partly.err.count("\n") == 1, "data that the server lacks are reported", partly)
        odd.shutdown()


def test_tokens():
    tokens, made = ct.WORK / "tokens", {}
    for scope in ("read", "write"):
        made[scope] = ct.WORK / f"{scope}.token"
        made[scope].write_text(ct.candor("server", "--token-file", tokens, "--new-token", f"{scope}:{scope}").out)
    wrong = ct.WORK / "wrong.token"
    wrong.write_text("0" * 64 + "\n")
    pair = certificate("remote")
    server = Server("remote-tokens", "--token-file", tokens, tls=pair, token=made["write"].read_text().strip())
    server.request("POST", "/ingest", b"a.B.c 5\n", name="safe", format="folded", **{"from": BEGUN, "until": BEGUN + 60})
    trust = (*EARLY, "--ca-file", pair[0], server.url)
    good = report("--token-file", made["read"], *trust)
    ct.ok(good["sampled"] == 50 * MS, "over TLS, with a token", good)
    good = report("--token-file", made["read"], *trust[:-1], f"https://localhost:{server.port}")
    ct.ok(good["sampled"] == 50 * MS, "by the certificate's other name", good)
    for what, arguments, words in (("no token", trust, ("401", "--token-file")),
                                   ("a wrong one", ("--token-file", wrong, *trust), ("401", str(wrong))),
                                   ("one that may only write", ("--token-file", made["write"], *trust), ("403", "read")),
                                   ("no certificate to trust", ("--token-file", made["read"], *EARLY, server.url), ("--ca-file",))):
        result = ct.candor("report", *arguments)
        ct.ok(one_line(result, 1, *words) and made["read"].read_text().strip() not in result.err, what, result)
    plain = ct.candor("report", server.url.replace("https:", "http:"))
    ct.ok(plain.status == 1 and plain.err.count("\n") == 1, "http to a server that speaks https: one line", plain)
    ct.ok(server.end() == 0, "ends")


def main():
    ct.need(ct.PROGRAM, ct.BUILD / "candor-server", recordings.MAKER)
    server = Server("remote")
    fill(server)
    server.request("POST", "/ingest", b"odd.Main.run 100\n", name="odd", format="folded", **{"from": BEGUN, "until": BEGUN + 60})
    test_odd(server)
    server.end()
    server = Server("remote-two")
    fill(server)
    test_report(server)
    test_diff(server)
    test_wrong(server)
    test_nothing_lost(server)
    ct.ok(server.end() == 0, "the server ends")
    test_tokens()
    ct.done()


if __name__ == "__main__":
    main()
