#!/usr/bin/env python3
"""How long all threads stand still for paths (--paths), compared with the budget, in a heap of four million objects.

usage: script/bench paths [--objects N] [--output FOLDER]

For each JDK, with Serial and G1: a program keeps N small objects, which are not sampled, and then leaves 4 MB in a static map.
'candor dump --paths=BUDGET' finds what holds these, for several budgets. The recording itself says how long the walks took, by the
agent's clock (walked) and by the JVM's counters of safepoints (stopped). A budget is kept if neither exceeds it. The time of one walk
is that of all walks with the longest budget, divided by their number.

Raw data go to OUTPUT/paths.csv, the summary to OUTPUT/paths.md (default: docs/benchmarks).
"""
import argparse
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import candortest as ct
from results import Results, output_option

BUDGETS_MS = (200, 1000, 5000, 30000)
COLLECTORS = ("Serial", "G1")
ROUNDS = 3
FIELDS = ("jdk", "collector", "objects", "budget_ms", "round", "walks", "walked_ms", "stopped_ms", "found", "missing")


def search(jvm, budget_ms, path):
    """The account of one dump alone."""
    dumped = ct.candor("dump", f"--paths={budget_ms}ms", "-o", path, jvm.pid)
    if dumped.status:
        raise RuntimeError(dumped)
    report = ct.candor("report", "--json", "--kind", "live", path)
    live = ct.json.loads(report.out)["live"]
    held, books = live["holders"], live["books"]
    return (books["walks"], books["walked_ns"], books["stopped_ns"]), sum(row["objects"] for row in held["paths"] if row["holder"]), \
        ";".join(f"{one['reason']} {one['objects']}" for one in held["missing"])


def measure(jdk, collector, objects, results):
    flags = ["-Xms2g", "-Xmx2g", f"-XX:+Use{collector}GC"]
    with ct.Jvm(jdk, "Leaks", agent=ct.agent_options(), flags=flags) as jvm:
        jvm.expect("ready")
        filled = jvm.round("fill", objects=objects)["objects"]
        good, answer = jvm.control("start", **{"file": ct.WORK / "paths.jfr", "event": "live", "alloc-interval": "16k"})
        if not good:
            raise RuntimeError(answer)
        jvm.round("hold", kind="hashtable", requests=20000)
        before = (0, 0, 0)
        for budget in BUDGETS_MS:
            for number in range(ROUNDS):
                now, found, missing = search(jvm, budget, ct.WORK / "held.jfr")
                walks, walked, stopped = (after - then for after, then in zip(now, before))
                before = now
                results.add(jdk=jdk.version, collector=collector, objects=filled, budget_ms=budget, round=number, walks=walks,
                            walked_ms=round(walked / 1e6, 1), stopped_ms=round(stopped / 1e6, 1), found=found, missing=missing)
        jvm.control("stop")
        jvm.finish()


def write_page(path, results, options):
    kept = sum(max(row["walked_ms"], row["stopped_ms"]) <= row["budget_ms"] for row in results.rows)
    lines = ["# Paths: how long all threads stand still", "",
             f"Made by `script/bench paths` on {results.date}; raw data in `paths.csv`. A heap of {options.objects:,} small objects;",
             f"medians of {ROUNDS} searches; of all of them {kept} of {len(results.rows)} stayed within their budget.", "",
             "| JDK | collector | budget, ms | walks | walked, ms | stopped, ms (JVM) | most, ms | one walk, ms | held objects |",
             "|---|---|---|---|---|---|---|---|---|"]
    groups = {}
    for row in results.rows:
        groups.setdefault((row["jdk"], row["collector"], row["budget_ms"]), []).append(row)
    for (jdk, collector, budget), rows in groups.items():
        middle = {key: statistics.median(row[key] for row in rows) for key in ("walks", "walked_ms", "stopped_ms", "found")}
        most = max(max(row["walked_ms"], row["stopped_ms"]) for row in rows)
        each = f"{middle['walked_ms'] / middle['walks']:.0f}" if middle["walks"] else "-"
        lines.append(f"| {jdk} | {collector} | {budget} | {middle['walks']:g} | {middle['walked_ms']:.0f} | {middle['stopped_ms']:.0f} | "
                     f"{most:.0f} | {each} | {middle['found']:g} |")
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench paths")
    parser.add_argument("--objects", type=int, default=4000000)
    output_option(parser)
    options = parser.parse_args()
    results = Results(options.output / "paths.csv", FIELDS)
    for jdk in ct.jdks():
        if jdk.version >= 11:
            for collector in COLLECTORS:
                measure(jdk, collector, options.objects, results)
    write_page(options.output / "paths.md", results, options)


main()
