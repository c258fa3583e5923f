#!/usr/bin/env python3
"""candor report --kind halt on recordings with known halts: sums, ranges of time in all notations, JSON and text alike.

tier: quick
timeout: 60
"""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from recordings import HOT, MS, make

START = 1_700_000_000_000_000_000  # 2023-11-14T22:13:20Z
YOUNG, FULL = ("G1 young collection pauses", "G1 Evacuation Pause"), ("G1 stop-the-world full collections", "System.gc()")


def example():
    """1 s: each line is a millisecond after the previous one. Pauses of 5 ms at 100, 200, 300 and of 20 ms at 400."""
    lines = [("setting", "event", "cpu,halt"), ("thread", "main", 4711, 1)]
    for at in range(2, 1000):
        if at in (100, 200, 300):
            lines.append(("pause", 5 * MS, *YOUNG))
        elif at == 400:
            lines.append(("pause", 20 * MS, *FULL))
        elif at == 500:
            lines.append(("counted", 50 * MS, 3, 6 * MS, 1 * MS))
        else:
            lines.append(("sample", 1, MS, "complete", HOT))
    return lines


def report(path, *options):
    result = ct.candor("report", "--kind", "halt", "--json", *options, path)
    return json.loads(result.out) if result.status == 0 else {"failed": str(result)}


def test_whole(path):
    r = report(path)
    if not ct.ok("failed" not in r, "it is read", r):
        return
    ct.ok(r["start_ns"] == START and 999 * MS <= r["duration_ns"] <= 1001 * MS, "start and length", r["duration_ns"])
    ct.ok(r["stopped_ns"] == 35 * MS and r["waited_ns"] == 0, "all pauses", r)
    ct.ok(r["stopped_ns"] + r["waited_ns"] + r["unexplained_ns"] == r["to_ns"] - r["from_ns"] == r["duration_ns"], "the time adds up")
    gc = r["kinds"]["gc_pause"]
    ct.ok((gc["count"], gc["total_ns"], gc["p50_ns"], gc["p90_ns"], gc["max_ns"]) == (4, 35 * MS, 5 * MS, 20 * MS, 20 * MS), "sums", gc)
    counted = r["kinds"]["safepoints_counted"]
    ct.ok(counted["count"] == 3 and counted["total_ns"] == 6 * MS, "counted ones", counted)
    pauses = [h for h in r["halts"] if h["kind"] == "gc_pause"]
    ct.ok([(h["start_ns"] - START) // MS for h in pauses] == [100, 200, 300, 400] and all(h["agent"] for h in pauses), "each pause", pauses)
    ct.ok({h["what"] for h in pauses} == {", ".join(YOUNG), ", ".join(FULL)}, "collectors and causes", pauses)
    causes = {c["what"]: (c["count"], c["total_ns"]) for c in r["causes"] if c["kind"] == "gc_pause"}
    ct.ok(causes == {", ".join(YOUNG): (3, 15 * MS), ", ".join(FULL): (1, 20 * MS)}, "causes", causes)
    ct.ok(len(report(path, "--top", "1")["halts"]) == 2, "--top is of each scope")


def test_ranges(path):
    """300 to 410 ms includes the pause at 300 and the first half of the pause at 400, in whatever notation."""
    for zone, ranges in (("UTC0", ("+300ms..+410ms", "22:13:20.3..22:13:20.41", "2023-11-14T22:13:20.3Z..2023-11-14T22:13:20.41Z",
                                   "22:13:20.3..+410ms")), ("EST5", ("17:13:20.3..17:13:20.41",))):
        os.environ["TZ"] = zone
        for text in ranges:
            r = report(path, "--time", text)
            ct.ok(r.get("to_ns", 0) - r.get("from_ns", 0) == 110 * MS and r["stopped_ns"] == 15 * MS and r["unexplained_ns"] == 95 * MS
                  and [h["overlap_ns"] for h in r["halts"]] == [5 * MS, 10 * MS], f"--time {text} ({zone})", r)
        text = ct.candor("report", "--kind", "halt", "--time", ranges[0], path).out
        ct.ok("all threads stopped" in text and " 13.64" in text and "GC pause: " + ", ".join(FULL) in text, f"as text ({zone})", text)
    del os.environ["TZ"]
    beyond = report(path, "--time", "-100ms..2023-11-14T23:00:00Z")
    ct.ok(beyond.get("to_ns") == beyond.get("start_ns", 0) + beyond.get("duration_ns", 0) and not beyond["halts"],
          "as far as the recording goes", beyond)
    nothing = ct.candor("report", "--kind", "halt", "--time", "2024-11-14T22:13:20Z..", path)
    ct.ok(nothing.status == 1 and "nothing was recorded" in nothing.err and nothing.err.count("\n") == 1, "outside of it: told", nothing)
    wrong = ct.candor("report", "--kind", "halt", "--time", "yesterday", path)
    ct.ok(wrong.status == 2 and "not a range of time" in wrong.err and wrong.err.count("\n") == 1, "no range: told", wrong)


def test_timeline(path):
    """Each sample weighs the time since the previous one: main runs all the time except in the pauses, of which there are no samples."""
    r = report(path, "--timeline")
    timeline = r["timeline"]
    ct.ok(timeline["columns"] == 80 == len(timeline["stopped"]) and [t["name"] for t in timeline["threads"]] == ["main"], "a row", timeline)
    running = timeline["threads"][0]["states"]["running"]
    ct.ok(sum(timeline["threads"][0]["states"].values()) == running and 990 * MS <= running <= 1000 * MS, "its time", running)
    ct.ok(set(timeline["threads"][0]["cells"]) == {"R"} and timeline["stopped"].strip() == "##" and timeline["stopped"][32] == "#",
          "each column of it", timeline)
    text = ct.candor("report", "--kind", "halt", "--timeline", path).out
    ct.ok(timeline["threads"][0]["cells"] in text and timeline["stopped"].rstrip() in text and "Timeline" in text, "as text", text)
    ct.ok("timeline" not in report(path), "only when it is requested")


def test_others(path):
    calm = make("calm.jfr", [("thread", "main", 4711, 1)] + [("sample", 1, MS, "complete", HOT)] * 50)
    r = report(calm)
    ct.ok(r.get("halts") == [] and r["kinds"] == {} and r["stopped_ns"] == 0 and r["unexplained_ns"] == r["duration_ns"] > 0,
          "a recording without halts says so", r)
    text = ct.candor("report", "--kind", "halt", calm)
    ct.ok(text.status == 0 and "no events about halts" in text.out and "-e cpu,halt" in text.out, "and what to do", text)
    server = ct.candor("report", "--kind", "halt", "http://127.0.0.1:1")
    ct.ok(server.status == 1 and "the FILE of a recording" in server.err and server.err.count("\n") == 1, "a server has none", server)
    unused = ct.candor("report", "--kind", "halt", "--token-file", "token", calm)
    ct.ok(unused.status == 2 and "--token-file needs a server" in unused.err and unused.err.count("\n") == 1, "nor an option of it", unused)
    cut = ct.WORK / "cut.jfr"
    cut.write_bytes(path.read_bytes()[:-400])
    damaged = ct.candor("report", "--kind", "halt", cut)
    ct.ok(damaged.status in (0, 1) and damaged.err, "damage is reported", damaged)


path = make("halts.jfr", example())
test_whole(path)
test_ranges(path)
test_timeline(path)
test_others(path)
ct.done()
