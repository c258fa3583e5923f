#!/usr/bin/env python3
"""What each event of a recording costs an application: the CPU time of a Tomcat under a steady load, with the recording and without.

usage: script/bench application [--events LIST]... [--blocks N] [--seconds S] [--rate N] [--jdk N] [--no-size] [--output FOLDER]

`candor load` requests pages at a constant rate all the time, so that the same work is done in the same time. A pair is a stretch of S
seconds with a recording and one without, in random order. Its ratio is the CPU time with the recording to that without, for all
threads except the JVM's compilers and collectors: these sometimes work for seconds, whether or not there is a recording. A block has
a pair for each of the LISTs and for "nothing", which shows the effect of chance, in random order; if no LIST is given, also for
async-profiler's events with candor's intervals. The agent is loaded before the warm-up, as in a service that is always recorded:
`script/bench heal` measures what a late attach costs, after which the JVM compiles much of its code again. The result is the median of
the ratios and its interval of 95 %, by the sign test, which holds for any distribution. It also shows the same for all threads, and the
CPU time of the agent's thread from the kernel, as a share of a core.

At the end one recording of a minute, of all events at a millisecond, shows how large it is when packed.

Raw data go to OUTPUT/application.csv, the summary to OUTPUT/application.md (default: docs/benchmarks).
"""
import argparse
import math
import pathlib
import random
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "overhead"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import tools
from results import Results, output_option
from tomcat import steady
from tools import ct

NOTHING = "nothing"
ALL = "cpu,wall,alloc,live,lock,halt"
DAEMON = "cpu,wall,alloc,lock,halt"  # the daemon's default
PEER = "async-profiler "
PEER_INTERVALS = {"cpu": 10000, "wall": 50000, "lock": 1000}  # microseconds: candor's own
EVENTS = ("cpu", "wall", "lock", "alloc", ALL, DAEMON, *(PEER + event for event in PEER_INTERVALS))
SETTLE = 1    # seconds from a recording's beginning or end to the measurement
BACKGROUND = ("C1 ", "C2 ", "G1 ", "GC ")
FIELDS = ("block", "events", "first", "without_ms", "with_ms", "ratio", "all_without_ms", "all_with_ms", "all_ratio", "thread_percent")


def background_ns(pid):
    """CPU time of the JVM's compilers and collectors, by thread."""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            if (task / "comm").read_text().startswith(BACKGROUND):
                found[task.name] = int((task / "schedstat").read_text().split()[0])
        except FileNotFoundError:
            continue
    return found


def stretch(tomcat, seconds):
    """Milliseconds of CPU: of all threads but those in the background, of all."""
    background, before, began = background_ns(tomcat.pid), tools.process_cpu_ns(tomcat.pid), time.monotonic()
    time.sleep(seconds)
    scale = seconds / (time.monotonic() - began) / 1e6
    whole = tools.process_cpu_ns(tomcat.pid) - before
    aside = sum(ns - background.get(tid, 0) for tid, ns in background_ns(tomcat.pid).items())
    return (whole - aside) * scale, whole * scale


def recorded_by_peer(tomcat, event, seconds):
    peer = tools.AsyncProfiler(event, PEER_INTERVALS[event])
    peer.start(tomcat, ct.WORK / "peer.jfr")
    time.sleep(SETTLE)
    used = stretch(tomcat, seconds)
    peer.stop(tomcat, ct.WORK / "peer.jfr")
    return used


def recorded(tomcat, events, seconds):
    """A stretch with a recording; also the agent's thread as a share of a core."""
    if events == NOTHING:
        return stretch(tomcat, seconds), None
    if events.startswith(PEER):
        return recorded_by_peer(tomcat, events.removeprefix(PEER), seconds), None
    tomcat.record(events, ct.WORK / "application.jfr")
    time.sleep(SETTLE)
    thread, began = tools.agent_cpu_ns(tomcat.pid), time.monotonic_ns()
    used = stretch(tomcat, seconds)
    share = (tools.agent_cpu_ns(tomcat.pid) - thread) / (time.monotonic_ns() - began)
    ct.candor("stop", tomcat.pid)
    return used, share


def pair(tomcat, events, seconds):
    with_first = random.random() < 0.5
    if not with_first:
        without = stretch(tomcat, seconds)
    with_it, share = recorded(tomcat, events, seconds)
    time.sleep(SETTLE)
    if with_first:
        without = stretch(tomcat, seconds)
    return {"events": events, "first": "with" if with_first else "without", "without_ms": round(without[0], 2),
            "with_ms": round(with_it[0], 2), "ratio": round(with_it[0] / without[0], 5), "all_without_ms": round(without[1], 2),
            "all_with_ms": round(with_it[1], 2), "all_ratio": round(with_it[1] / without[1], 5),
            "thread_percent": "" if share is None else round(100 * share, 3)}


def interval(values):
    """The 95 % interval of the median: the order statistics that the sign test allows."""
    n, below, k = len(values), 0.0, 0
    while k < n // 2 and below + math.comb(n, k) / 2 ** n <= 0.025:
        below += math.comb(n, k) / 2 ** n
        k += 1
    ordered = sorted(values)
    return (ordered[k - 1], ordered[n - k]) if k else (-math.inf, math.inf)


def packed(tomcat):
    """(events a minute, bytes a minute of `zstd -3`) of a recording of all events."""
    path = ct.WORK / "size.jfr"
    tomcat.record(ALL, path, "-i", "1ms")
    time.sleep(60)
    ct.candor("stop", tomcat.pid)
    summary = ct.json.loads(ct.candor("summary", "--json", path).out)
    count = sum(one["count"] for one in summary["types"].values())
    small = len(subprocess.run(["zstd", "-3", "-q", "-c", path], check=True, stdout=subprocess.PIPE).stdout)
    return count, small


def told(values):
    low, high = interval(values)
    return f"{statistics.median(values):.4f} | {low:.4f} to {high:.4f}"


def write_page(path, results, size, options):
    busy = statistics.median(row["all_without_ms"] for row in results.rows) / options.seconds / 10
    lines = ["# What an application pays", "",
             f"{results.origin()}, Tomcat 10's example pages on JDK {options.jdk}, "
             f"{options.rate} requests a second, for which it takes {busy:.0f} % of a core.",
             f"Pairs of stretches of {options.seconds:g} s.", "",
             "| events | pairs | CPU, ratio: median | 95 % | with compilers and collectors | 95 % | the agent's thread, % of a core |",
             "|---|---|---|---|---|---|---|"]
    for events in sorted({row["events"] for row in results.rows}):
        rows = [row for row in results.rows if row["events"] == events]
        shares = [row["thread_percent"] for row in rows if row["thread_percent"] != ""]
        lines.append(f"| {events} | {len(rows)} | {told([row['ratio'] for row in rows])} | {told([row['all_ratio'] for row in rows])} | "
                     f"{f'{statistics.median(shares):.3f}' if shares else ''} |")
    if size:
        lines += ["", f"A minute of `{ALL}` at a millisecond has {size[0]} events, and {size[1] / 1e6:.2f} MB by `zstd -3`: "
                      f"{size[1] / size[0] / 10:.2f} MB for 100,000."]
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench application")
    parser.add_argument("--events", action="append", help=f"of a recording; default: {', '.join(EVENTS)}, in turns")
    parser.add_argument("--blocks", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rate", type=int, default=4000, help="requests a second")
    parser.add_argument("--jdk", type=int, default=25)
    parser.add_argument("--no-size", action="store_true")
    output_option(parser)
    options = parser.parse_args()
    results = Results(options.output / "application.csv", FIELDS)
    kinds = [NOTHING, *(options.events or EVENTS)]
    seconds = math.ceil(options.blocks * len(kinds) * (2 * options.seconds + 4 * SETTLE)) + 120
    with steady(ct.jdk(options.jdk), options.rate, seconds, early=True) as tomcat:
        for block in range(options.blocks):
            for events in random.sample(kinds, len(kinds)):
                print(*results.add(block=block, **pair(tomcat, events, options.seconds)).values(), flush=True)
        size = None if options.no_size else packed(tomcat)
    write_page(options.output / "application.md", results, size, options)


main()
