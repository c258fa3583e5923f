#!/usr/bin/env python3
"""What a profiler does to response times: percentiles of a Tomcat under a steady load, with a recording and without.

usage: script/bench tail [--events LIST]... [--blocks N] [--seconds S] [--rate N] [--jdk N] [--output FOLDER]

A block has a stretch of S seconds without a recording, one for each LIST (default: those of the daemon), and one with async-profiler's
event cpu at candor's interval, in random order. In each stretch `candor load` requests pages on a schedule of its own, and its response
times count from the moment at which a request was due. A request that waits because the profiler held the server up is therefore late.

Raw data go to OUTPUT/tail.csv, the summary to OUTPUT/tail.md (default: docs/benchmarks).
"""
import argparse
import pathlib
import random
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "overhead"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import tools
from results import Results, output_option
from tomcat import WARM_UP, Tomcat, loaded
from tools import ct

NOTHING, PEER = "nothing", "async-profiler cpu"
DAEMON = "cpu,wall,alloc,lock,halt"
PERCENTILES = ("p50", "p90", "p99", "p999", "max")
FIELDS = ("block", "events", "completed", "cpu_ms", *(f"{name}_us" for name in PERCENTILES))
SETTLE = 1


def begin(tomcat, events):
    """Starts a recording. Returns a function that ends it."""
    path = ct.WORK / "tail.jfr"
    if events == NOTHING:
        return lambda: None
    if events == PEER:
        peer = tools.AsyncProfiler("cpu", 10000)
        peer.start(tomcat, path)
        return lambda: peer.stop(tomcat, path)
    tomcat.record(events, path, *(("--clocks", "auto") if "cpu" in events.split(",") else ()))
    return lambda: ct.candor("stop", tomcat.pid)


def stretch(tomcat, events, options):
    end = begin(tomcat, events)
    time.sleep(SETTLE)
    before = tools.process_cpu_ns(tomcat.pid)
    result = loaded(tomcat.load(options.seconds, "-r", options.rate, "-c", 50))
    used = tools.process_cpu_ns(tomcat.pid) - before
    end()
    return {"events": events, "completed": result["completed"], "cpu_ms": used // 1_000_000,
            **{f"{name}_us": result["response"][f"{name}_ns"] // 1000 for name in PERCENTILES}}


def write_page(path, results, options):
    lines = ["# Response times under a profiler", "",
             f"{results.origin()}, Tomcat 10's example pages on JDK {options.jdk}, {options.rate} requests a",
             f"second; {options.blocks} blocks of stretches of {options.seconds} s in random order. The load generator runs on the same",
             "processors. Medians over the stretches, with the least and the most.", "",
             "| events | CPU, ms | p50, us | p90, us | p99, us | p99.9, us |", "|---|---|---|---|---|---|"]
    for events in dict.fromkeys(row["events"] for row in results.rows):
        rows = [row for row in results.rows if row["events"] == events]
        columns = [sorted(row[name] for row in rows) for name in ("cpu_ms", "p50_us", "p90_us", "p99_us", "p999_us")]
        cells = [f"{statistics.median(values):.0f} ({values[0]} to {values[-1]})" for values in columns]
        lines.append(f"| {events} | {' | '.join(cells)} |")
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench tail")
    parser.add_argument("--events", action="append", help=f"of a recording; default: {DAEMON}")
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rate", type=int, default=4000, help="requests a second")
    parser.add_argument("--jdk", type=int, default=25)
    parser.add_argument("--warm-up", type=int, default=WARM_UP, help="seconds at full speed before the first stretch")
    output_option(parser)
    options = parser.parse_args()
    results = Results(options.output / "tail.csv", FIELDS)
    kinds = [NOTHING, PEER, *(options.events or [DAEMON])]
    tomcat = Tomcat(ct.jdk(options.jdk), "tomcat")
    try:
        loaded(tomcat.load(options.warm_up, "--mode", "throughput", "-c", 8))
        for block in range(options.blocks):
            for events in random.sample(kinds, len(kinds)):
                print(*results.add(block=block, **stretch(tomcat, events, options)).values(), flush=True)
    finally:
        tomcat.end()
    write_page(options.output / "tail.md", results, options)


main()
