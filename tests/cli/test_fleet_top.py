#!/usr/bin/env python3
"""The hottest own methods of each service, and the ones that have changed: counted by hand, with planted changes. Hosts are compared with
themselves: a growth that is smaller than hosts differ is found, and nothing is found where nothing has changed.

tier: default
timeout: 120
"""
import collections
import json
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings
from recordings import MS
from servers import DAY, Server

NOW, HOUR, DAY_S = 1_690_000_000, 3600, 86400
NEXT = NOW + 5 * DAY_S
METHODS = ["app.Cart.get", "app.Cart.put", "app.Tax.of", "app.Web.page", "app.Db.read", "app.Log.line"]
PATHS = {"app.Db.read": "org.postgresql.Driver.query;java.net.Socket.read", "app.Log.line": "java.io.Writer.write"}  # leaf not own


def is_own(name):
    return name.startswith("app.")


def stack(method):
    """Root first; each own method is called by another one, and also by the JDK and a framework."""
    below = f";{PATHS[method]}" if method in PATHS else ""
    return f"java.lang.Thread.run;org.springframework.Web.call;app.Main.serve;{method};java.util.HashMap.forEach;{method}{below}"


def draw(rng, weights, n):
    return collections.Counter(rng.choices(METHODS, weights, k=n))


def truth(counts):
    """own and total of each own method, for counts by stack."""
    own, total = collections.Counter(), collections.Counter()
    for text, n in counts.items():
        names = [name for name in text.split(";") if is_own(name)]
        own.update({name: n for name in names[-1:]})
        total.update({name: n for name in set(names)})
    return own, total


def send(server, rng, service, host, begin, weights, n=4000):
    counts = draw(rng, weights, n)
    of = {stack(method): k for method, k in counts.items()}
    of["java.lang.Thread.run;java.lang.ref.Finalizer.run"] = 500
    body = "".join(f"{text} {k}\n" for text, k in of.items()).encode()
    status, answer = server.send(body, service=service, host=host, version="2", **{"from": begin})
    ct.ok(status == 200, f"{service} on {host} is taken", answer)
    return collections.Counter(of)


def fill(server):
    """service -> what it did in the last hour. shop has two hosts, cart has one; in shop app.Tax.of has grown, in cart nothing has."""
    rng, sent = random.Random(11), collections.defaultdict(collections.Counter)
    for day, grown in ((1, 10), (0, 25)):
        for i in range(16):
            begin = NOW - day * DAY_S + i * HOUR // 16 + 10
            for host in ("a", "b") if i % 4 == 0 else ():
                of = send(server, rng, "shop", host, begin, [30, 10, grown, 20, 20, 10])
                sent["shop"] += collections.Counter() if day else of
            of = send(server, rng, "cart", "a", begin, [30, 10, 10, 20, 20, 10], 1000)
            sent["cart"] += collections.Counter() if day else of
    send(server, rng, "gone", "a", NOW - DAY_S + 10, [1, 1, 1, 1, 1, 1])
    return sent


def test_hottest(server, sent, when):
    answer = server.get("/v1/top", limit=100, **when)
    ct.ok([g["labels"]["service"] for g in answer["groups"]] == ["shop", "cart"] and answer["complete"], "two services", answer)
    for group in answer["groups"]:
        own, total = truth(sent[group["labels"]["service"]])
        ct.ok({m["name"]: (m["own"], m["total"]) for m in group["methods"]} == {name: (own[name], total[name]) for name in total},
              f"{group['labels']}: own and total of each own method", (group["methods"], own, total))
        order = [m["own"] for m in group["methods"]]
        ct.ok(order == sorted(order, reverse=True) and group["own"] == sum(own.values()), "the hottest first; all own time", group["own"])
        ct.ok(group["sampled"] == sum(sent[group["labels"]["service"]].values()) and group["cores"] is None, "the whole", group["sampled"])
        hot = group["methods"][0]
        ct.ok(hot["own_low"] < hot["own_share"] < hot["own_high"] and abs(hot["own_share"] - hot["own"] / group["sampled"]) < 1e-5,
              "its interval", hot)
    by_host = server.get("/v1/top", by="host", **when)
    shop = [g for g in by_host["groups"] if g["labels"]["service"] == "shop"]
    ct.ok(len(by_host["groups"]) == 3 and sum(g["sampled"] for g in shop) == answer["groups"][0]["sampled"], "by host", by_host["by"])
    few = server.get("/v1/top", limit=2, **when)["groups"][0]
    ct.ok(len(few["methods"]) == 2 and few["methods_left_out"] == len(answer["groups"][0]["methods"]) - 2, "a cut list", few)


def test_movers(server, when):
    answer = server.get("/v1/top", against="-24h", limit=100, **when)
    movers = {g["labels"]["service"]: {m["name"]: m for m in g["movers"]} for g in answer["groups"]}
    tax = movers["shop"].get("app.Tax.of", {}).get("own", {})
    share = 25 / 115 * 4000 / 4500 - 10 / 100 * 4000 / 4500
    ct.ok(list(movers["shop"]) == ["app.Tax.of"] and tax["verdict"] == "dearer" and tax["after"] > tax["before"] and
          abs(tax["after"] - tax["before"] - share) < 0.02 and 0 < tax["low"] < tax["change"] < tax["high"] and tax["q"] < 0.01,
          "the planted change, and no other one", movers["shop"])
    ct.ok(movers["cart"] == {}, "nothing where nothing has changed", movers["cart"])
    ct.ok([(g["design"], g["reason"]) for g in answer["groups"]] == [("paired", None), ("alone", None)], "how they are compared", answer)
    ct.ok(answer["against"] == {"from": when["from"] - DAY_S, "to": when["to"] - DAY_S}, "the hour a day before", answer["against"])
    self = server.get("/v1/top", against="-1h", limit=100, **when)
    ct.ok([(g["movers"], g["design"], g["reason"]) for g in self["groups"]] == [(None, "none", "there are no samples before")] * 2 and
          self["against"]["to"] == when["from"], "no data before: nothing is claimed", self)
    none = server.get("/v1/top", against="none", **when)
    ct.ok("against" not in none and all("movers" not in g for g in none["groups"]), "without a comparison", none["groups"][0])
    for wrong in ({"against": "1h"}, {"against": "x"}, {"by": " "}, {"limit": "0"}, {"against": "now"}):
        ct.ok(server.get("/v1/top", **{**when, **wrong}).get("status") == 400, f"{wrong}: 400")


def fill_unlike(server, rng, service, hosts, grown, same):
    """Hosts whose mixes differ: app.Tax.of has from a third of the usual share to three times as much. Unless they are the same on both
    days, the second day has the same samples from hosts with other names. Returns the answers to recordings that were not taken."""
    refused = []
    for host in range(hosts):
        mix = [30, 10, 10 * math.exp(rng.uniform(-1.1, 1.1)), 20, 20, 10]
        for day in (1, 0):
            now = [*mix[:2], mix[2] * (1 if day else grown), *mix[3:]]
            counts = draw(rng, now, 4000)
            body = "".join(f"{stack(method)} {k}\n" for method, k in counts.items()).encode()
            for name, of in ((service, same), (f"{service}-renamed", False)) if grown > 1 else ((service, same),):
                status, answer = server.send(body, service=name, host=f"h{host}" if of or day else f"new{host}", version="2",
                                             **{"from": NEXT - day * DAY_S + 10})
                refused += [] if status == 200 else [answer]
    return refused


def test_pairs(server):
    """The hosts of a service differ more than app.Tax.of grew. Compared with themselves they show the growth, compared with others they do
    not. Of a hundred such answers, at most one has a false mover in any of the twenty services in which nothing changed."""
    rng = random.Random(5)
    refused = fill_unlike(server, rng, "grown", 20, 1.3, True)
    for i in range(20):
        refused += fill_unlike(server, rng, f"even-{i}", 6, 1, i % 4)
    ct.ok(not refused, "all recordings are taken", refused)
    answer = server.get("/v1/top", **{"against": "-24h", "limit": 100, "from": NEXT, "to": NEXT + HOUR, "type": "cpu:samples"})
    groups = {g["labels"]["service"]: g for g in answer["groups"]}
    own = {name: {m["name"]: m["own"]["verdict"] for m in g["movers"]} for name, g in groups.items()}
    ct.ok(groups["grown"]["design"] == "paired" and own.pop("grown") == {"app.Tax.of": "dearer"}, "hosts against themselves",
          groups["grown"]["movers"])
    ct.ok(groups["grown-renamed"]["design"] == "apart" and own["grown-renamed"] == {}, "the same samples of other hosts do not show it",
          groups["grown-renamed"]["movers"])
    ct.ok(len(own) == 21 and not any(own.values()), "nothing else has changed", own)


def test_moved(server):
    """Cost that went from one method to another on all hosts."""
    rng, begin = random.Random(7), NEXT + 20 * DAY_S
    for host in range(8):
        for day, mix in ((1, [30, 10, 30, 10, 20, 10]), (0, [30, 10, 10, 30, 20, 10])):
            body = "".join(f"{stack(method)} {k}\n" for method, k in draw(rng, mix, 4000).items()).encode()
            server.send(body, service="moved", host=f"h{host}", **{"from": begin - day * DAY_S + 10})
    shown = ct.candor("fleet", "top", server.url, "--from", begin, "--until", begin + HOUR, "--against", "-24h", "--type", "cpu:samples")
    ct.ok("app.Tax.of (moved to app.Web.page)\n" in shown.out and "app.Web.page (moved from app.Tax.of)\n" in shown.out,
          "the table says where cost went, and where it came from", shown)


def test_cores(server):
    """For CPU time the table has cores."""
    script = [("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1)]
    script += [("sample", 1, 10 * MS, "complete", "java.lang.Thread.run:1;app.Busy.loop:2;java.util.HashMap.get:3") for _ in range(2500)]
    server.send(recordings.make("top.jfr", script).read_bytes(), service="busy", host="h")
    answer = server.get("/v1/top", **DAY)
    span = answer["span"]["to"] - answer["span"]["from"]
    group = answer["groups"][0]
    ct.ok(answer["type"] == "cpu:ns" and abs(group["cores"] - 25 / span) < 0.01, "cores", (group["cores"], span))
    ct.ok(group["methods"][0]["name"] == "app.Busy.loop" and group["methods"][0]["own"] == 25_000 * MS, "time of the JDK", group)


def test_table(server, when):
    options = ("--from", when["from"], "--until", when["to"], "--against", "-24h", "--type", "cpu:samples")
    shown = ct.candor("fleet", "top", server.url, *options, "--limit", "1")
    lines = [line.split() for line in shown.out.splitlines()]
    hot = server.get("/v1/top", limit=1, **when)["groups"][0]["methods"][0]
    ct.ok(shown.status == 0 and lines[0] == "SERVICE CORES OWN SHARE 95 % TOTAL METHOD".split() and
          [row[0] for row in lines[1:3]] == ["shop", "cart"] and lines[1][-1] == hot["name"] and
          f"{100 * hot['own_share']:.2f}" in lines[1], "the hottest", shown)
    ct.ok(lines[3] == [] and lines[4][:4] == ["SERVICE", "SHARE", "BEFORE", "NOW"] and len(lines) == 6 and
          [lines[5][0], lines[5][-1]] == ["shop", "app.Tax.of"], "and the changes", lines[3:])
    printed = ct.candor("fleet", "top", server.url, *options, "--limit", "1", "--json")
    ct.ok(json.loads(printed.out) == server.get("/v1/top", limit=1, against="-24h", **when), "JSON is the server's answer")
    nothing = ct.candor("fleet", "top", server.url, "--from", "-1m")
    ct.ok(nothing.status == 0 and "no samples" in nothing.err, "nothing is reported", nothing)
    wrong = ct.candor("fleet", "services", server.url, "--against", "-24h")
    ct.ok(wrong.status == 2 and "--against" in wrong.err, "an option of this view only", wrong)


def main():
    server = Server("top")
    sent = fill(server)
    when = {"from": NOW, "to": NOW + HOUR, "type": "cpu:samples"}
    test_hottest(server, sent, when)
    test_movers(server, when)
    test_table(server, when)
    test_pairs(server)
    test_moved(server)
    test_cores(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.done()


if __name__ == "__main__":
    main()
