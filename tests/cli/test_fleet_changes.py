#!/usr/bin/env python3
"""candor fleet changes: two versions on several hosts, with a planted regression and a renamed method, compared with the data that were
sent.

tier: default
timeout: 240
"""
import json
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings
from recordings import MS, RUN
from servers import DAY, Server

TIMES = ("--from", DAY["from"], "--until", DAY["to"])
SAMPLES = 1200
# Weights of the methods: a stack below RUN, and its weight in each version.
SAME = {"demo.Work.a:11": 5, "demo.Work.b:12": 3, "demo.Work.c:13": 3, "demo.Work.d:14": 2, "demo.Db.run:30;demo.Db.query:31": 2,
        "demo.Tree.walk:50;demo.Tree.walk:50": 2,
        "demo.Db.run:30;java.util.HashMap.get:99": 2}
OLD = {**SAME, "demo.Slow.hot:21": 1.5, "demo.Name.caller:40;demo.Name.old:41": 2}
NEW = {**SAME, "demo.Slow.hot:21": 4.5, "demo.Name.caller:40;demo.Name.fresh:41": 2}
SHOWN = {("self", "demo.Slow.hot"), ("line", "demo.Slow.hot:21"), ("self", "demo.Name.old"),
         ("self", "demo.Name.fresh"), ("line", "demo.Name.old:41"), ("line", "demo.Name.fresh:41")}
chance = random.Random(20)
made = {}


def make(name, methods, later=0):
    """A recording of independent samples; hosts differ a little. later: seconds."""
    stacks = list(methods)
    weights = [methods[stack] * chance.gammavariate(400, 1 / 400) for stack in stacks]
    lines = [("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1)]
    lines += [("sample", 1, 10 * MS, "complete", f"{RUN};{stack}") for stack in chance.choices(stacks, weights, k=SAMPLES)]
    path = recordings.make(f"changes-{name}.jfr", lines)
    content = bytearray(path.read_bytes())
    begun, = struct.unpack_from(">Q", content, 32)  # the start of the chunk, since the epoch
    struct.pack_into(">Q", content, 32, begun + later * 1000 * MS)
    path.write_bytes(content)
    return path


def send(server, service, side, hosts, methods, later=0, **labels):
    made[service, side] = []
    for host in hosts:
        path = make(f"{service}-{side}-{host}", methods, later)
        made[service, side].append(path)
        status, answer = server.send(path.read_bytes(), service=service, host=host, **labels)
        ct.ok(status == 200, f"{service} {side} {host} is taken", answer)


def select(service):
    return f'service="{service}"'


def of(answer, figure):
    return {row["method"]: row for row in answer["changes"] if row["figure"] == figure}


def verdict(answer, method):
    return of(answer, "self").get(method, {}).get("verdict")


def reported(paths, which):
    """The sums over recordings of what candor report says about each method."""
    sums, whole = {}, 0
    for path in paths:
        report = recordings.report_json(path, "--top", "1000")
        for row in report["methods"]:
            sums[row["name"]] = sums.get(row["name"], 0) + row[which]
        whole += report["sampled"]
    return sums, whole


def figures(server):
    answer = server.get("/v1/changes", select=select("shop"), all="1", limit=1000)
    ct.ok(answer.get("complete") and answer["design"] == "apart" and answer["reason"] is None and answer["type"] == "cpu:ns",
          "the two versions are compared, hosts with other hosts", {key: answer[key] for key in answer if key != "changes"})
    sides = [tuple(answer[side][word] for word in ("value", "hosts", "recordings")) for side in ("before", "after")]
    ct.ok(sides == [("1", 6, 6), ("2", 6, 6)], "the newer version is after", sides)
    for which in ("self", "total"):
        rows = of(answer, which)
        for side in ("before", "after"):
            sums, whole = reported(made["shop", "1" if side == "before" else "2"], which)
            shown = {name: rows[name][f"{side}_weight"] for name in sums}
            ct.ok(shown == sums and answer[side]["compared"] == whole and len(sums) > 8, f"{which} {side}: as candor report sums up", shown)
            ct.ok(all(abs(rows[name][side] - weight / whole) < 1e-5 for name, weight in sums.items()), f"{which} {side}: shares of it")
    lines = {(row["method"], row["line"]): row["after_weight"] for row in answer["changes"] if row["figure"] == "line"}
    ct.ok(sum(lines.values()) == answer["after"]["compared"] and lines["demo.Db.run", 30] > 0
          and ("java.util.HashMap.get", 99) not in lines, "lines: each sample at the innermost line of the program's own code", lines)
    after = answer["after"]
    ct.ok(abs(after["per_second"] - after["weight"] / 1e9 / after["seconds"]) < 1e-3, "cores", after)


def verdicts(server):
    answer = server.get("/v1/changes", select=select("shop"), split="zone")
    own, totals = of(answer, "self"), of(answer, "total")
    planted = {"demo.Slow.hot": "dearer", "demo.Name.old": "moved", "demo.Name.fresh": "moved"}
    ct.ok({name: row["verdict"] for name, row in own.items()} == planted, "self: the regression, and what was renamed; nothing else", own)
    hot = own["demo.Slow.hot"]
    true = hot["after"] * (1 - 1.5 / 4.5)
    ct.ok(hot["low"] <= true <= hot["high"] and hot["low"] > 0 and hot["q"] < 0.01 and hot["change"] > hot["detectable"] > 0,
          "its interval holds what was planted", hot)
    ct.ok((own["demo.Name.old"]["to"], own["demo.Name.fresh"]["from"]) == ("demo.Name.fresh", "demo.Name.old"), "it moved", own)
    lines = [row for row in answer["changes"] if row["figure"] == "line" and row["method"] == "demo.Slow.hot"]
    ct.ok([(row["line"], row["verdict"]) for row in lines] == [(21, "dearer")], "its line", lines)
    caller = hot["callers"][0]
    ct.ok(caller["method"] == "demo.Work.run" and abs(caller["change"] - hot["change"]) < 1e-4, "its caller", hot["callers"])
    zones = {one["value"]: one["after"] > 2 * one["before"] for one in hot["values"]}
    ct.ok(zones == {"x": True, "y": True} and hot["values_left_out"] == 0, "both zones have it", hot)
    ct.ok("demo.Name.caller" not in totals and not totals["demo.Slow.hot"]["innermost"],
          "the caller of what was renamed did not change; a total is not shown beside the own time", totals)


def table(server):
    shown = ct.candor("fleet", "changes", server.url, *TIMES, "--select", select("shop"))
    rows = [line.split() for line in shown.out.splitlines()]
    rows = {(row[6], row[7]): row for row in rows if len(row) > 7 and row[6] in ("self", "line", "total")}
    ct.ok(shown.status == 0 and not shown.err and set(rows) == SHOWN, "the table", shown)
    ct.ok(all(words in shown.out for words in ("version 1,", "version 2,", "hosts: 6", "(moved to demo.Name.fresh)")), "its words", shown)
    answer = json.loads(ct.candor("fleet", "changes", server.url, *TIMES, "--select", select("shop"), "--json").out)
    ct.ok(f"{answer['tests'] - answer['sure']} figures are not sure" in shown.out, "one line counts the rest", shown)
    every = ct.candor("fleet", "changes", server.url, *TIMES, "--select", select("shop"), "--all")
    ct.ok(sum("not sure" in line for line in every.out.splitlines()) >= answer["tests"] - answer["sure"], "--all shows all", every.out)


def per_request(server):
    answer = server.get("/v1/changes", select=select("shop"), requests="50,80.5")
    plain, wrong = server.get("/v1/changes", select=select("shop")), lambda a, b: abs(a - b) > 1e-5 * abs(b)
    sides = [(answer[side], rate) for side, rate in (("before", 50), ("after", 80.5))]
    ct.ok(not any(wrong(side["per_request"], side["per_second"] / rate) for side, rate in sides) and "per_request" not in plain["after"],
          "the cost of a request, if its rate is given", sides)
    rows = [row for row in answer["changes"] if wrong(row["before_per_request"], row["before_per_second"] / 50)
            or wrong(row["after_per_request"], row["after_per_second"] / 80.5)]
    ct.ok(answer["changes"] and not rows, "of each change, too", rows)
    shown = ct.candor("fleet", "changes", server.url, *TIMES, "--select", select("shop"), "--requests", "50,80.5")
    ct.ok(shown.status == 0 and "AFTER/REQUEST" in shown.out and f"per request: {answer['after']['per_request']:.4g}" in shown.out,
          "candor fleet changes --requests", shown)
    for text in ("50", "50,", "0,1", "1,x", "1,2,3", "nan,1"):
        refused = server.get("/v1/changes", select=select("shop"), requests=text)
        ct.ok(refused.get("status") == 400 and "120,118.5" in refused["error"], f"requests={text}: refused, and how to write it", refused)


def nothing_changed(server):
    for service, design in (("calm", "apart"), ("pair", "paired")):
        answer = server.get("/v1/changes", select=select(service))
        ct.ok((answer["design"], answer["reason"], answer["changes"], answer["sure"]) == (design, None, [], 0) and answer["tests"] > 10,
              f"{service}: nothing changed, and nothing is named", answer)


def times(server):
    begin = 1700000000
    before, after = f"{begin - 60}..{begin + 60}", f"{begin + 3540}..{begin + 3660}"
    answer = server.get("/v1/changes", select=select("hourly"), before=before, after=after)
    ct.ok(answer["design"] == "paired" and verdict(answer, "demo.Slow.hot") == "dearer", "two times of the same hosts", answer)
    back = server.get("/v1/changes", select=select("hourly"), before=after, after=before)
    ct.ok(verdict(back, "demo.Slow.hot") == "cheaper", "the other way round", back)
    selectors = server.get("/v1/changes", select=select("shop"), before='version="1"', after='{version="2"}')
    ct.ok(selectors["before"]["select"] == 'service="shop",version="1"' and verdict(selectors, "demo.Slow.hot") == "dearer",
          "two selectors", selectors)
    day = server.get("/v1/changes", select=select("hourly"), before="yesterday", after=after)
    ct.ok(day["before"]["from"] == begin + 3540 - 86400 and "no samples before" in (day["reason"] or "") and not day["changes"],
          "yesterday", day)


def unsure(server):
    answer = server.get("/v1/changes", select=select("one"))
    ct.ok(answer["design"] == "none" and "not the same" in answer["reason"] and not answer["changes"],
          "a host against another: not sure, and why", answer)
    every = server.get("/v1/changes", select=select("one"), all="1", limit=1000)
    rows, sums = of(every, "self"), reported(made["one", "2"], "self")[0]
    ct.ok({name: rows[name]["after_weight"] for name in sums} == sums and sum(sums.values()) == every["after"]["compared"],
          "all=1 has its weights", every)
    ct.ok(all((row["change"], row["expected"], row["p"], row["q"]) == (None, None, 1, 1) for row in every["changes"]),
          "and no change", every)
    shown = ct.candor("fleet", "changes", server.url, *TIMES, "--select", select("one"))
    ct.ok(shown.status == 0 and "not sure: each side has one host" in shown.out, "the table says so", shown)
    for parameters, status, word in (({"select": ""}, 400, "several services"), ({"select": select("none")}, 404, "version"),
                                     ({"select": select("shop"), "before": "noon"}, 400, "yesterday"),
                                     ({"select": select("shop"), "before": "5..3"}, 400, "not after"),
                                     ({"select": select("shop"), "before": "x=y"}, 400, ""),
                                     ({"select": select("shop"), "by": "a b"}, 404, "a b")):
        answer = server.get("/v1/changes", **parameters)
        ct.ok(answer.get("status") == status and word in answer.get("error", ""), f"{parameters}: refused, and why", answer)


def main():
    server = Server("fleet-changes")
    for zone, n in (("x", 3), ("y", 3)):
        for version, methods in (("1", OLD), ("2", NEW)):
            known = made.get(("shop", version), [])
            send(server, "shop", version, [f"{version}{zone}{i}" for i in range(n)], methods, version=version, zone=zone)
            made["shop", version] = known + made["shop", version]
    for version in ("1", "2"):
        send(server, "calm", version, [f"c{version}{i}" for i in range(5)], OLD, version=version)
        send(server, "pair", version, [f"p{i}" for i in range(5)], OLD, version=version)
        send(server, "one", version, [f"o{version}"], OLD if version == "1" else NEW, version=version)
    for later, methods in ((0, OLD), (3600, NEW)):
        send(server, "hourly", later, [f"h{i}" for i in range(5)], methods, later)
    figures(server)
    verdicts(server)
    table(server)
    per_request(server)
    nothing_changed(server)
    times(server)
    unsure(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.done()


if __name__ == "__main__":
    main()
