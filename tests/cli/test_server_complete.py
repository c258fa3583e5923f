#!/usr/bin/env python3
"""A server's answer never silently lacks data that it received: damaged, unsealed, lost, deleted, damaged on arrival; and
it says if weights are rounded.

tier: default
timeout: 120
"""
import collections
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings
from flamedata import column
from servers import Server

BEGIN = 1700006400  # 15 November 2023
WHEN = {"from": BEGIN - 86400, "to": BEGIN + 86400}
SHOP = 'service="shop"'


def body(n):
    return f"shop.Main.run;shop.Work.m{n} {n}\n".encode()


def missing(said):
    return {why: one["parts"] for why, one in said.get("missing", {}).items()}


def account(said, truth, what, **wanted):
    """The shown data and the data reported as missing add up to the data that were sent."""
    weight = sum(one["weight"] for one in said.get("missing", {}).values())
    ct.ok(said["complete"] == (not wanted) and missing(said) == wanted and said["total"] + weight == truth,
          f"{what}: {wanted or 'complete'}, and the sums are what was sent", said)


def ask(server, select=SHOP):
    return server.get("/v1/methods", select=select, **WHEN)["server"]


def everywhere(server, words):
    """Each kind of query says the same, each command in one line."""
    answers = [server.get("/v1/flamegraph", select=SHOP, **WHEN)["server"], server.get("/v1/series", select=SHOP, **WHEN)]
    ct.ok(all(one["complete"] is False and words in one["missing_text"] for one in answers), "flame graph and series say so", answers)
    _, headers, _ = server.request("GET", "/v1/profile", select=SHOP, **WHEN)
    ct.ok(headers["X-Candor-Complete"] == "false" and words in headers["X-Candor-Missing"], "so do the headers of a profile", headers)
    page = server.request("GET", "/v1/flamegraph", format="html", select=SHOP, **WHEN)[2].decode()
    ct.ok(words in page, "and the page")
    options = ("--select", SHOP, "--from", WHEN["from"], "--until", WHEN["to"])
    for command, tail in (("report", ()), ("convert", (ct.WORK / "out.html",))):
        result = ct.candor(command, *options, server.url, *tail)
        ct.ok(result.status == 0 and result.err.count("\n") == 1 and words in result.err, f"candor {command} says so in one line", result)
    ct.ok(words in (ct.WORK / "out.html").read_text(), "and the page that it writes")
    result = ct.candor("diff", *options, "--from2", WHEN["from"], "--until2", WHEN["to"] + 1, server.url, server.url)
    ct.ok(result.status == 0 and result.err.count("\n") == 2 and result.err.count(words) == 2, "candor diff says so of both sides", result)
    report = json.loads(ct.candor("report", "--json", *options, server.url).out)
    ct.ok([p["text"] for p in report["problems"] if words in p["text"]], "and the JSON of a report", report["problems"])


def test_rounded():
    """Answers say that weights are rounded, from the first server with that option on, also after it is exact again, and from a backup."""
    def since(server):
        answers = [ask(server), server.get("/v1/flamegraph", select=SHOP, **WHEN)["server"], server.get("/v1/series", select=SHOP, **WHEN),
                   server.get("/v1/top", select=SHOP, **WHEN)]
        return {one.get("weights_rounded_since") for one in answers}

    def fleet(server):
        return ct.candor("fleet", "top", "--from", WHEN["from"], "--until", WHEN["to"], server.url)

    server = Server("rounded")
    server.send(body(10), service="shop", **{"from": BEGIN})
    result = fleet(server)
    ct.ok(since(server) == {None} and result.status == 0 and "rounded" not in result.err, "exact weights: nothing is said", result)
    server.end()
    before = int(time.time())
    server = Server("rounded", "--weights", "rounded")
    told = since(server)
    ct.ok(len(told) == 1 and None not in told and before <= min(told) <= time.time(), "rounded weights: since when", told)
    server.end()
    server = Server("rounded")
    result = fleet(server)
    ct.ok(since(server) == told and ask(server)["complete"], "an exact server on the same folder says the same, and is complete",
          since(server))
    ct.ok(result.status == 0 and result.err.count("\n") == 1 and "are rounded; sums of recordings are exact" in result.err,
          "candor fleet says so in one line", result)
    page = server.request("GET", "/v1/flamegraph", format="html", select=SHOP, **WHEN)[2].decode()
    ct.ok("--weights rounded" in page, "and the page of an answer")
    server.end()
    for text in ("", "soon\n", "1" * 100):
        (server.data / "rounded").write_text(text)
        server = Server("rounded")
        ct.ok(since(server) == {1}, f"if the time is lost ({text[:8]!r}): since whenever", since(server))
        server.end()
        ct.ok((server.data / "rounded").read_text() == "1\n", "which the file says from then on")
    log = pathlib.Path(server.log.name).read_text()
    ct.ok(log.count("answers say of all weights that they are rounded") == 3, "the log has each damage", log)


def spoil(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def segment(server):
    """The segment of the first recording, whose dictionary is the first."""
    return next((server.data / "segments" / "1").glob("*.seg"))


def test_damage():
    server = Server("damage")
    for n, when in ((10, BEGIN), (20, BEGIN - 3600)):  # of two days: they are not merged
        server.send(body(n), service="shop", **{"from": when})
    truth = ask(server)["total"]
    account(ask(server), truth, "nothing damaged")
    ct.ok(server.get("/v1/services", **WHEN)["complete"] and server.get("/v1/recordings", **WHEN)["complete"], "lists are complete")
    ct.ok(server.get("/v1/recordings", limit=1, **WHEN)["complete"] is False, "one that is cut at its limit is not")
    spoil(segment(server))
    account(ask(server), truth, "a damaged segment", damaged=1)
    said = ask(server)
    weight = sum(one["weight"] for one in said["missing"].values()) if "missing" in said else 0
    ct.ok(said["total"] + weight == truth and set(missing(said)) <= {"unsealed"}, "until it is sealed again it is unsealed", said)
    server.end()
    server = Server("damage")
    account(ask(server), truth, "sealed again")
    spoil(segment(server))
    next(path for path in (server.data / "recordings").rglob("*") if path.is_file() and b"m10 10" in path.read_bytes()).unlink()
    server.end()
    server = Server("damage")
    said = ask(server)
    while "unsealed" in missing(said):  # upkeep has found the damage before the query, and not yet that nothing can mend it
        time.sleep(0.1)
        said = ask(server)
    account(said, truth, "a damaged segment, whose recording is gone", **({"lost": 1} if "lost" in missing(said) else {"damaged": 1}))
    server.end()
    server = Server("damage")
    account(ask(server), truth, "and for good", lost=1)
    everywhere(server, "1 lost to damage")
    ct.ok(ask(server, 'service="cart"')["complete"], "of another service nothing is missing")
    server.end()


def test_deleted():
    server = Server("deleted")
    server.send(body(10), service="shop", host="a", **{"from": BEGIN - 80000})
    server.send(body(20), service="shop", host="a", **{"from": BEGIN})
    server.send(body(30), service="cart", **{"from": BEGIN})
    truth = ask(server)["total"]
    server.end()
    server = Server("deleted", "--max-disk", "1")
    ct.wait_until(lambda: not ask(server)["complete"])
    account(ask(server), truth, "a day that --max-disk deletes", max_disk=1)
    ct.ok(not ask(server, 'host="b"')["complete"] and ask(server, 'service="cart"')["complete"],
          "of what is deleted the service is known, its other labels are not")
    late = server.get("/v1/methods", select=SHOP, **{"from": BEGIN - 3600, "to": BEGIN + 3600})
    ct.ok(late["server"]["complete"], "another time is complete", late["server"])
    ct.ok([server.get(path, **WHEN)["complete"] for path in ("/v1/services", "/v1/recordings")] == [False, False], "lists say it, too")
    gone = ct.candor("report", "--select", SHOP, "--from", BEGIN - 86400, "--until", BEGIN - 3600, server.url)
    ct.ok(gone.status == 1 and "no recordings" in gone.err and "1 deleted by --max-disk" in gone.err and gone.err.count("\n") == 1,
          "where all is deleted, candor report says that it is", gone)
    server.end()


def test_huge():
    """Numbers that senders claim do not prevent the server from deleting: five weights of 2^61 overflow a sum of 64 bits."""
    server = Server("huge")
    for n in range(5):
        status, answer = server.send(f"shop.Main.run;shop.Work.m{n} {2**61}\n".encode(), service="shop", **{"from": BEGIN - 80000})
        ct.ok(status == 200, "a recording of 2^61 samples is taken", answer)
    server.send(body(30), service="cart", **{"from": BEGIN})
    server.end()
    server = Server("huge", "--max-disk", "1")
    # Until they are deleted, a query for their sum is refused.
    answer = lambda: server.get("/v1/methods", select=SHOP, **WHEN).get("server", {"complete": True})
    ct.wait_until(lambda: not answer()["complete"], timeout=60)
    said = answer()
    ct.ok(missing(said) == {"max_disk": 5} and said["missing"]["max_disk"]["weight"] == 2**63 - 1,
          "is deleted, and counted by the most that a count can hold", said)
    server.end()


def test_flawed():
    server = Server("flawed")
    good = recordings.make("good.jfr", recordings.example()).read_bytes()
    status, answer = server.send(good + good[:len(good) // 2], service="shop")
    ct.ok(status == 200, "half of a recording is damaged, and the other half is taken", answer)
    said = ask(server)
    ct.ok(said["complete"] is False and missing(said) == {"flawed": 1} and said["total"] > 0 and
          said["missing_text"] == "incomplete: 1 recording arrived damaged; how much of it is missing is not known", "answers say it", said)
    server.end()


def lines(books):
    return {(line["account"], line["reason"]): (line["amount"], line["count"]) for line in books["lines"]}


def test_books():
    """An answer has the books of its recordings, as a report on each has them."""
    server = Server("books")
    body = recordings.make("books.jfr", recordings.example()).read_bytes()
    for host in ("a", "b"):
        server.send(body, service="shop", host=host)
    alone = recordings.report_json(ct.WORK / "books.jfr")["books"]
    when = {"from": BEGIN - 2 * 86400, "to": BEGIN + 86400}
    both = server.get("/v1/methods", select=SHOP, **when)
    books = both["server"]["books"]
    sums = lines(books)
    ct.ok(books["recordings"] == 2 and sums["cpu", ""][0] == 2 * alone["cpu_ns"] == 2 * 1049 * recordings.MS, "the sum of two", books)
    amount = lambda *roles: sum(line["amount"] for line in books["lines"] if line["role"] in roles)
    ct.ok(amount("seen", "failed", "lost", "unseen", "residual") == amount("whole"), "the accounts add up to the whole", books)
    ct.ok(sums["lost", "queue_full"] == (40 * recordings.MS, 4) and sums["residual", ""][0] == -2 * recordings.MS, "by reason", sums)
    ct.ok(books["text"].startswith("of 2.10 s CPU time, 2.00 s were sampled, 20.0 ms of these without a stack (gc_active 20.0 ms), 60.0 ms "
                                   "unseen (kernel 60.0 ms), 40.0 ms lost (queue_full 40.0 ms), -2.00 ms residual; own cost 8.00 ms"),
          "in words", books["text"])
    ct.ok(both["report"]["books"]["cpu_ns"] == 2 * alone["cpu_ns"], "and the report has them", both["report"]["books"])
    one = server.get("/v1/methods", select='host="a"', **when)["report"]["books"]
    differ = {key for key in alone if one[key] != alone[key]}
    ct.ok(differ == {"clock", "clock_resolution_ns"}, "one recording has its own, without its settings", differ)
    page = server.get("/v1/flamegraph", select=SHOP, **when)
    ct.ok(page["server"]["books"] == books and server.get("/v1/series", select=SHOP, **when)["books"] == books, "so have graph and series")
    ct.ok(server.get("/v1/series", select='service="none"', **when)["books"] is None, "of nothing there are none")
    server.end()


def test_tables():
    """However much is pruned from a graph, the sums of methods beside it are those of all rows: over several days, with recursion."""
    server = Server("tables")
    stacks = [f"a.A.run;a.A.m{i % 7};a.A.run;b.B.n{i};b.B.n{i} {i + 1}" for i in range(200)]
    for when in (BEGIN, BEGIN - 80000):
        server.send("\n".join(stacks).encode(), service="deep", **{"from": when})
    parameters = {**WHEN, "select": 'service="deep"'}
    answer = server.get("/v1/flamegraph", max_nodes=5, **parameters)
    names = answer["page"]["strings"]
    sums = {names[name]: (own, total) for name, own, total in answer["page"]["sums"]}
    every = server.get("/v1/methods", limit=1000, **parameters)
    wanted = {row["name"]: (row["self"], row["total"]) for row in every["report"]["methods"]}
    ct.ok(answer["server"]["nodes_pruned"] > 300 and len(sums) == 208 and sums == wanted,
          "they are those of the methods' table", (len(sums), sums, wanted))
    ct.ok(answer["server"]["span"] == every["server"]["span"] == {"from": BEGIN - 80000, "to": BEGIN + 1},
          "an answer has the time of its data, not of the question", answer["server"])
    ct.ok(sums["a.A.run"] == (0, 2 * 20100) and sums["b.B.n9"] == (20, 20), "a method that calls itself counts once", sums)
    whole = server.get("/v1/flamegraph", max_nodes=100000, **parameters)
    ct.ok("sums" not in whole["page"] and whole["server"]["nodes_pruned"] == 0, "a graph that is not pruned needs none")
    test_match(server, parameters)
    server.end()


def test_match(server, parameters):
    """Only the stacks with a method, and all of their frames, however few nodes a graph may have."""
    for match, has in (("/^b\\.B\\.n9$/", lambda i: i == 9), ("B.n9", lambda i: str(i).startswith("9")), ("a.A.m3*", lambda i: i % 7 == 3),
                       ("A.ru", lambda i: True), ("B.n.", lambda i: False)):
        answer = server.get("/v1/flamegraph", max_nodes=5, match=match, **parameters)
        graph, which = answer["page"], [i for i in range(200) if has(i)]
        self_ = collections.Counter()
        for name, weight in zip(column(graph["nodes"]["name"]), column(graph["nodes"]["self"])):
            self_[graph["strings"][name]] += weight
        ct.ok({name: weight for name, weight in self_.items() if weight} == {f"b.B.n{i}": 2 * (i + 1) for i in which}
              and answer["server"]["nodes_pruned"] == 0 and answer["server"]["shown"] == sum(2 * (i + 1) for i in which)
              and answer["server"]["total"] == 2 * 20100, f"match={match}: {len(which)} stacks of 200, whole", answer["server"])
    status, _, answer = server.request("GET", "/v1/flamegraph", match="/(/", **parameters)
    ct.ok(status == 400 and b"match" in answer, "a pattern with an error is refused", answer)


def main():
    test_books()
    test_tables()
    test_damage()
    test_deleted()
    test_huge()
    test_flawed()
    test_rounded()
    ct.done()


main()
