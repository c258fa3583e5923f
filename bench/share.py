#!/usr/bin/env python3
"""What share of an application's CPU time the code of a recording takes: Tomcat under a steady load, sampled by perf.

usage: script/bench share [--events LIST]... [--rounds N] [--seconds S] [--rate N] [--jdk N] [--output FOLDER]

`script/bench application` compares CPU time with and without a recording, and its result is disturbed by everything else that affects
the machine. Here perf samples the CPU clock of all of Tomcat's threads, including the agent's, while a recording runs. The samples in
the agent's library show its cost, and only chance affects the result. In each round each LIST has its turn, and so has "nothing", in
random order. Counted are all samples of the agent's own thread; for other threads those in libcandor.so, and those in the JVM's JVMTI
code and in the vDSO (which returns the time) beyond their share with "nothing". A recording's first seconds, in which it learns most
names, are left out. Not included are the kernel's work for a perf clock at a context switch, because perf's own clock does not see
it, and caches that are colder for other code. Needs root, or kernel.perf_event_paranoid of 0.

Raw data go to OUTPUT/share.csv, the summary to OUTPUT/share.md (default: docs/benchmarks).
"""
import argparse
import math
import os
import pathlib
import platform
import random
import re
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
EVENTS = ("cpu", "wall", "lock", "alloc", "cpu,wall,alloc,live,lock,halt")
SETTLE = 5  # seconds from a recording's beginning to the measurement
FREQUENCY = 1999
GOAL = 0.02
FIELDS = ("round", "events", "samples", "thread", "agent", "jvmti", "vdso", "core_percent")
LINE = re.compile(r"^ *[\d.]+% *\| *(\d+) *\|([^|]*)\|([^|]*)\|\[.\] ([^|]*)")


def sampled(pid, seconds):
    """Samples of all threads, of the agent's thread, and of other threads in its library, in the JVM's JVMTI, in the vDSO."""
    data = ct.WORK / "share.data"
    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(FREQUENCY), "-o", data, "-p", str(pid), "--",
                    "sleep", str(seconds)], check=True, stderr=subprocess.DEVNULL)
    told = subprocess.run(["perf", "report", "-i", data, "--stdio", "-n", "-t", "|", "--sort", "comm,dso,symbol"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    counts = {"samples": 0, "thread": 0, "agent": 0, "jvmti": 0, "vdso": 0}
    for count, thread, library, symbol in (map(str.strip, match.groups()) for match in map(LINE.match, told.splitlines()) if match):
        counts["samples"] += int(count)
        part = ("thread" if thread == "candor" else
                "agent" if library == "libcandor.so" else "vdso" if library == "[vdso]" else
                "jvmti" if library == "libjvm.so" and "jvmti" in symbol.lower() else None)
        if part:
            counts[part] += int(count)
    return counts


def measure(tomcat, events, seconds):
    if events != NOTHING:
        tomcat.record(events, ct.WORK / "share.jfr")
    time.sleep(SETTLE)
    used, began = tools.process_cpu_ns(tomcat.pid), time.monotonic_ns()
    counts = sampled(tomcat.pid, seconds)
    core = (tools.process_cpu_ns(tomcat.pid) - used) / (time.monotonic_ns() - began)
    if events != NOTHING:
        ct.candor("stop", tomcat.pid)
    return {"events": events, **counts, "core_percent": round(100 * core, 1)}


def total(rows, key):
    return sum(row[key] for row in rows)


def share(rows, key):
    return total(rows, key) / total(rows, "samples")


def mean_and_bound(rows, nothing):
    """The share of all parts, and its upper bound at 97.5 %: by the counts, as if each sample were an independent draw."""
    parts = ("thread", "agent", "jvmti", "vdso")
    value = sum(share(rows, part) - share(nothing, part) for part in parts)
    variance = sum(share(of, part) / total(of, "samples") for of in (rows, nothing) for part in parts)
    return value, value + 1.96 * math.sqrt(variance)


def write_page(path, results, options):
    nothing = [row for row in results.rows if row["events"] == NOTHING]
    lines = ["# What share of an application's CPU is the recording's", "",
             f"Made by `script/bench share --rounds {options.rounds}` on {results.date}; raw data in `share.csv`. {os.cpu_count()} "
             f"processors, {platform.machine()}, Linux", f"{platform.release().partition('-')[0]}, Tomcat 10's example pages on JDK "
             f"{options.jdk}, {options.rate} requests a second. {options.rounds} rounds of {options.seconds} s, {FREQUENCY} samples of "
             f"a second's CPU.",
             f"Goal: at most {100 * GOAL:g} % of the application's CPU. What the kernel does for a clock at context switches is not in "
             "these.",
             "",
             "| events | samples | the agent's thread | its code in others | JVMTI's beyond nothing | the time's | in all "
             "| at most (97.5 %) | % of a core |",
             "|---|---|---|---|---|---|---|---|---|"]
    for events in sorted({row["events"] for row in results.rows} - {NOTHING}):
        rows = [row for row in results.rows if row["events"] == events]
        value, bound = mean_and_bound(rows, nothing)
        core = total(rows, "core_percent") / len(rows)
        lines.append(f"| {events} | {total(rows, 'samples')} | {100 * share(rows, 'thread'):.2f} % | "
                     f"{100 * share(rows, 'agent'):.2f} % | "
                     f"{100 * (share(rows, 'jvmti') - share(nothing, 'jvmti')):.2f} % | "
                     f"{100 * (share(rows, 'vdso') - share(nothing, 'vdso')):.2f} % | {100 * value:.2f} % | {100 * bound:.2f} % | "
                     f"{value * core:.2f} |")
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench share")
    parser.add_argument("--events", action="append", help=f"of a recording; default: {', '.join(EVENTS)}, in turns")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--rate", type=int, default=4000, help="requests a second")
    parser.add_argument("--jdk", type=int, default=25)
    output_option(parser)
    options = parser.parse_args()
    results = Results(options.output / "share.csv", FIELDS)
    kinds = [NOTHING, *(options.events or EVENTS)]
    with steady(ct.jdk(options.jdk), options.rate, options.rounds * len(kinds) * (options.seconds + SETTLE + 5) + 60) as tomcat:
        for number in range(options.rounds):
            for events in random.sample(kinds, len(kinds)):
                print(*results.add(round=number, **measure(tomcat, events, options.seconds)).values(), flush=True)
    write_page(options.output / "share.md", results, options)


main()
