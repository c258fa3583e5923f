#!/usr/bin/env python3
"""One set of recordings, of several kinds, hosts, versions and endpoints, asked in every way: each answer of the server has the figures of
candor report, analyze and diff for the same files.

tier: default
timeout: 180
"""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings
from recordings import MS, RUN
from servers import DAY, Server

TIMES = ("--from", DAY["from"], "--until", DAY["to"])
KINDS = {"cpu": "cpu:ns", "wall": "wall:ns", "lock": "lock:ns", "holder": "holder:ns", "alloc": "alloc_space:bytes"}
ENDPOINTS = ("GET /cart", "POST /pay", None)
CLASSES = {"alloc": "demo.Basket", "lock": "demo.Log", "holder": "demo.Log"}  # the server has them as innermost frames
STACKS = [RUN + ";demo.Cart.get:3", RUN + ";demo.Cart.get:3;java.util.HashMap.get:9", RUN + ";demo.Tree.sum:1;demo.Tree.sum:2",
          RUN + ";demo.Work.idle:7;java.lang.Object.wait0"]
HOSTS = {"a": "1", "b": "1", "c": "2", "d": "2"}  # and their versions
LOCK = "demo.Log"
FIGURES = ("self", "total", "samples", "self_samples")


def script(seed):
    """Samples of all kinds, whose shares differ from host to host; analyze finds that threads queue for the lock."""
    rng = random.Random(seed)
    lines = [("setting", "interval_ns", 10 * MS), ("jvm", "OpenJDK 64-Bit Server VM (25)", "demo.Main", 4711),
             ("thread", "main", 1, 1), ("thread", "worker", 2, 2)]
    for i in range(500):
        stack, weight = rng.choices(STACKS, (seed + 1, 2, 3, 1))[0], 10 * MS + rng.randrange(5 * MS)
        thread, endpoint = rng.randrange(1, 3), rng.choice(ENDPOINTS)
        lines.append(("context", endpoint) if endpoint else ("context",))
        lines.append((("sample", thread, weight, "complete", stack),
                      ("wall", thread, weight, "complete", "STATE_PARKED", "method", stack),
                      ("monitor", thread, weight, LOCK, 64, 3 - thread, 0, stack),
                      ("holder", thread, weight, LOCK, stack),
                      ("alloc", thread, weight, CLASSES["alloc"], stack))[i % 5])
    lines += [("book", "cpu", "", 1500 * MS, 0), ("book", "complete", "", 1400 * MS, 100), ("book", "residual", "", 100 * MS, 0)]
    return lines


def report(kind, *words):
    result = ct.candor("report", "--json", "--kind", kind, "--top", "1000", *words)
    return json.loads(result.out) if result.status == 0 else {"failed": str(result)}


def figures(rows):
    return {row["name"]: tuple(row[key] for key in FIGURES) for row in rows}


def reported(kind, of):
    """The figures of a report, as the server has them: there the class of a lock is the innermost frame."""
    if kind not in CLASSES:
        return figures(of["methods"])
    whole = (of["sampled"], of["sampled"], of["sample_count"], of["sample_count"])
    return {CLASSES[kind]: whole, **{row["name"]: (0, row["total"], row["samples"], 0) for row in of["methods"]}}


def shares(rows, *what):
    keys = [f"{of}_{one}" for of in ("self", "total") for one in what]
    return {row["name"]: tuple(row[key] for key in keys) for row in rows}


def of_kind(server, kind, type_, paths):
    """Every answer about all hosts' samples of a kind."""
    own = report(kind, *paths)
    methods = server.get("/v1/methods", type=type_, limit=1000)["report"]
    found, wanted = figures(methods["methods"]), reported(kind, own)
    ct.ok(found == wanted and len(found) > 4, f"{kind}: methods", (found, wanted))
    functions = server.get("/v1/functions", match="*", limit=1000, type=type_)
    ct.ok(figures(functions["methods"]) == wanted, f"{kind}: functions", functions["methods"][:2])
    asked = ct.candor("report", "--json", "--kind", kind, "--top", "1000", *TIMES, server.url)
    rows = json.loads(asked.out)["methods"] if asked.status == 0 else []
    ct.ok(figures(rows) == wanted and shares(rows, "share", "low", "high") == shares(methods["methods"], "share", "low", "high"),
          f"{kind}: candor report of the server, with the same intervals", asked)
    whole = {"report": own["sampled"], "methods": methods["sampled"], "functions": functions["sampled"],
             "series": sum(row[1] for one in server.get("/v1/series", type=type_, step=60)["series"] for row in one["points"]),
             "endpoints": next(t["sampled"] for t in server.get("/v1/endpoints", type=type_)["types"] if t["type"] == type_),
             "services": server.get("/v1/services")["services"][0]["types"][type_]}
    ct.ok(len(set(whole.values())) == 1 and own["sampled"] > 0, f"{kind}: all answers have the same whole", whole)
    for host, path in zip(HOSTS, paths):
        one = server.get("/v1/methods", type=type_, limit=1000, select=f'host="{host}"')["report"]["methods"]
        ct.ok(figures(one) == reported(kind, report(kind, path)), f"{kind}: host {host} alone", one[:2])


def by_endpoint(server, kind, type_, paths):
    """The endpoints of all hosts, one of them alone, and both sides of a comparison of one."""
    rows = report(kind, "--group-by", "endpoint", *paths)["label"]["values"]
    wanted = {row["value"] or "": (row["self"], row["samples"]) for row in rows}
    groups = server.get("/v1/endpoints", type=type_)["groups"]
    found = {group["labels"]["endpoint"]: (group["types"][0]["weight"], group["types"][0]["samples"]) for group in groups}
    ct.ok(found == wanted and len(found) == len(ENDPOINTS), f"{kind}: the endpoints", (found, wanted))
    pay = 'service="shop",endpoint="POST /pay"'
    own = report(kind, "--label", "endpoint=^POST /pay$", *paths)
    methods = server.get("/v1/methods", type=type_, limit=1000, select=pay)["report"]
    ct.ok(figures(methods["methods"]) == reported(kind, own) and methods["sampled"] == own["sampled"], f"{kind}: the methods of one",
          methods)
    series = server.get("/v1/series", type=type_, step=60, by="endpoint")["series"]
    ct.ok({one["value"]: sum(point[1] for point in one["points"]) for one in series} == {name: of[0] for name, of in wanted.items()},
          f"{kind}: each over time", series)
    answer = server.get("/v1/changes", type=type_, select=pay, all="1", limit=1000)
    for i, side in enumerate(("before", "after")):
        own = report(kind, "--label", "endpoint=^POST /pay$", *paths[2 * i:2 * i + 2])
        ct.ok(answer[side]["compared"] == own["sampled"], f"{kind}: of a comparison of one, {side}", (answer[side], own["sampled"]))


def changed(server, paths):
    """The two versions: what changes says of each side is what diff says, and report."""
    sides = [json.loads(ct.candor("report", "--json", "--top", "1000", *paths[i:i + 2]).out) for i in (0, 2)]
    diff = json.loads(ct.candor("diff", "--json", "--all", "--top", "0", paths[0], paths[2], paths[1], paths[3]).out)
    answer = server.get("/v1/changes", select='service="shop"', all="1", limit=1000)
    rows = {row["method"]: row for row in answer["changes"] if row["figure"] == "self"}
    for i, side in enumerate(("before", "after")):
        own = {row["name"]: row["self"] for row in sides[i]["methods"]}
        ct.ok({name: rows[name][f"{side}_weight"] for name in own} == own and answer[side]["compared"] == sides[i]["sampled"],
              f"changes: the weights {side} are those of the report", rows)
        ab = {row["name"]: row["self"]["ab"[i]] for row in diff["methods"]}
        ct.ok(set(ab) == set(rows) and all(abs(rows[name][side] - share) < 2e-6 for name, share in ab.items()),
              f"changes: the shares {side} are those of diff", (ab, rows))


def found(server, paths):
    """Each finding is what analyze says of the recording that is its evidence."""
    ct.wait_until(lambda: server.get("/v1/findings")["judged"] == len(paths))
    findings, listed = server.get("/v1/findings")["findings"], server.get("/v1/recordings")["recordings"]
    ct.ok(findings, "there are findings")
    for one in findings:
        host = next(r["labels"]["host"] for r in listed if r["id"] == one["evidence"]["recording"])
        own = json.loads(ct.candor("analyze", "--json", paths[list(HOSTS).index(host)]).out)["findings"]
        whole = server.get(f"/v1/findings/{one['id']}")["finding"]
        ct.ok(whole in own, f"{one['rule']}: the finding is that of analyze", (whole, own))


def main():
    server = Server("fleet-figures", "--analyze-cpu", "100%")
    paths = []
    for seed, (host, version) in enumerate(HOSTS.items()):
        paths.append(recordings.make(f"figures-{host}.jfr", script(seed)))
        status, answer = server.send(paths[-1].read_bytes(), service="shop", host=host, version=version)
        ct.ok(status == 200, f"{host} is taken", answer)
    for kind, type_ in KINDS.items():
        of_kind(server, kind, type_, paths)
        by_endpoint(server, kind, type_, paths)
    changed(server, paths)
    found(server, paths)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.done()


if __name__ == "__main__":
    main()
