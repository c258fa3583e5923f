#!/usr/bin/env python3
"""What an application pays for each event of a recording: the CPU of a Tomcat under a steady load with it and without.

usage: script/bench application [--events LIST]... [--blocks N] [--seconds S] [--rate N] [--jdk N] [--output FOLDER]

`candor load` asks for pages at a constant rate, so that the same work is done in the same time. A block is four stretches of S seconds:
without, with, with, without; the recording runs from the second's begin, a second before, to the third's end. Its ratio is the CPU time
of the process in the two stretches with it to that in the two without: what drifts evenly cancels out. Blocks of the LISTs, and of
"nothing", which shows what chance does, take turns; the first WARM_UP_BLOCKS of each, in which the JVM still compiles, do not count.
Said are the median of the ratios and its interval of 95 %, by the sign test: that holds whatever their distribution, of which a machine
whose clock rate changes has an odd one. Beside it, what the profiler itself says that it used, of a core, and the CPU time of its thread
by the kernel's account, of a core.

At the end one recording of a minute, of all events at a millisecond, says how large it is when packed.

Raw data go to OUTPUT/application.csv, the summary to OUTPUT/application.md (default: docs/benchmarks).
"""
import argparse
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "overhead"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import tools
from results import Results, output_option
from tomcat import Tomcat, loaded
from tools import ct

NOTHING = "nothing"
ALL = "cpu,wall,alloc,live,lock,halt"
EVENTS = ("cpu", "wall", "lock", "alloc", ALL)
WARM_UP, WARM_UP_BLOCKS = 25, 5  # seconds at full speed; blocks of each
LEAD = 1      # seconds between the start of a recording and what is measured
SPARE = 4     # of the load, for starting and stopping
FIELDS = ("block", "events", "without_ms", "with_ms", "ratio", "thread_percent", "own_percent", "samples", "errors")


def stretch(tomcat, seconds):
    """Milliseconds of CPU."""
    before, began = tools.process_cpu_ns(tomcat.pid), time.monotonic()
    time.sleep(seconds)
    return (tools.process_cpu_ns(tomcat.pid) - before) / (time.monotonic() - began) / 1e6 * seconds


def started(tomcat, events, path, *more):
    result = ct.candor("start", "-e", events, *more, "-o", path, tomcat.pid)
    if result.status:
        sys.exit(f"application: {result.err}")


def own_ns(report):
    """What the recording says that it cost: the books of the CPU time have all of it, where there are none those of the wall's."""
    return next((report[books]["own_cost_ns"] for books in ("books", "wall_time") if report.get(books)), None)


def recorded(tomcat, events, path, seconds):
    """The two stretches with it, the thread's share of a core, and the report."""
    started(tomcat, events, path)
    time.sleep(LEAD)
    thread, began = tools.agent_cpu_ns(tomcat.pid), time.monotonic_ns()
    used = [stretch(tomcat, seconds), stretch(tomcat, seconds)]
    share = (tools.agent_cpu_ns(tomcat.pid) - thread) / (time.monotonic_ns() - began)
    ct.candor("stop", tomcat.pid)
    return used, share, ct.report(path)


def block(tomcat, events, options):
    path, seconds = ct.WORK / "application.jfr", options.seconds
    path.unlink(missing_ok=True)
    load = tomcat.load(4 * seconds + 2 * LEAD + SPARE, "-r", options.rate, "-c", 50)
    time.sleep(LEAD)
    without, row = [stretch(tomcat, seconds)], {}
    if events == NOTHING:
        time.sleep(LEAD)
        with_it = [stretch(tomcat, seconds), stretch(tomcat, seconds)]
    else:
        with_it, share, report = recorded(tomcat, events, path, seconds)
        own = own_ns(report)
        row = {"thread_percent": round(100 * share, 3), "samples": report["sample_count"],
               "own_percent": "" if own is None else round(100 * own / report["duration_ns"], 3)}
    without.append(stretch(tomcat, seconds))
    errors = loaded(load)["errors"]
    return {"events": events, "without_ms": round(sum(without), 2), "with_ms": round(sum(with_it), 2),
            "ratio": round(sum(with_it) / sum(without), 5), "errors": errors, **row}


def interval(values):
    """Of the median, 95 %: the order statistics that the sign test allows."""
    n, below, k = len(values), 0.0, 0
    while k < n // 2 and below + math.comb(n, k) / 2 ** n <= 0.025:
        below += math.comb(n, k) / 2 ** n
        k += 1
    ordered = sorted(values)
    return (ordered[k - 1], ordered[n - k]) if k else (-math.inf, math.inf)


def packed(tomcat, options):
    """(events a minute, MB a minute of `zstd -3`) of a recording of all events."""
    path = ct.WORK / "size.jfr"
    load = tomcat.load(65, "-r", options.rate, "-c", 50)
    started(tomcat, ALL, path, "-i", "1ms")
    time.sleep(60)
    ct.candor("stop", tomcat.pid)
    loaded(load)
    summary = ct.json.loads(ct.candor("summary", "--json", path).out)
    count = sum(one["count"] for one in summary["types"].values())
    small = len(subprocess.run(["zstd", "-3", "-q", "-c", path], check=True, stdout=subprocess.PIPE).stdout)
    return count, small


def write_page(path, results, size, options):
    lines = ["# What an application pays", "",
             f"Made by `script/bench application` on {results.date}; raw data in `application.csv`. {os.cpu_count()} processors, "
             f"{platform.machine()},", f"Linux {platform.release().partition('-')[0]}, Tomcat 10's example pages on JDK {options.jdk}, "
             f"{options.rate} requests a second. {options.blocks} blocks of each,", f"with stretches of {options.seconds} s.", "",
             "| events | blocks | CPU, ratio: median | 95 % | the agent's thread, % of a core | by its own books, % of a core |",
             "|---|---|---|---|---|---|"]
    for events in dict.fromkeys(row["events"] for row in results.rows):
        rows = [row for row in results.rows if row["events"] == events]
        ratios = [row["ratio"] for row in rows]
        low, high = interval(ratios)
        shares = [f"{statistics.median(values):.3f}" if (values := [row[key] for row in rows if row.get(key) not in (None, "")]) else ""
                  for key in ("thread_percent", "own_percent")]
        lines.append(f"| {events} | {len(rows)} | {statistics.median(ratios):.4f} | {low:.4f} to {high:.4f} | {' | '.join(shares)} |")
    if size:
        lines += ["", f"A minute of `{ALL}` at a millisecond has {size[0]} events, and {size[1] / 1e6:.2f} MB by `zstd -3`: "
                      f"{size[1] / size[0] / 10:.2f} MB for 100,000."]
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench application")
    parser.add_argument("--events", action="append", help=f"of a recording; default: {', '.join(EVENTS)}, in turns")
    parser.add_argument("--blocks", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rate", type=int, default=2000, help="requests a second")
    parser.add_argument("--jdk", type=int, default=25)
    parser.add_argument("--no-size", action="store_true")
    output_option(parser)
    options = parser.parse_args()
    results = Results(options.output / "application.csv", FIELDS)
    tomcat = Tomcat(ct.jdk(options.jdk), "tomcat")
    try:
        loaded(tomcat.load(WARM_UP, "--mode", "throughput", "-c", 8))
        for number in range(-WARM_UP_BLOCKS, options.blocks):
            for events in (NOTHING, *(options.events or EVENTS)):
                row = block(tomcat, events, options)
                if number >= 0:
                    print(*results.add(block=number, **row).values(), flush=True)
        size = None if options.no_size else packed(tomcat, options)
    finally:
        tomcat.end()
    write_page(options.output / "application.md", results, size, options)


main()
