#!/usr/bin/env python3
"""What clocks cost at context switches: perf's for all threads and by lot, the kernel's timers, and none.

usage: script/bench switches [--blocks N] [--pairs N] [--interval 10ms] [--jdk N] [--output FOLDER]

Pairs of threads pass a token back and forth (tests/java/Relay.java): a piece of work and a context switch in each turn. There is one
JVM, in blocks of three seconds, recorded with each kind of clocks and without a recording, in turn and in changing order. In each
block the CPU time of the whole process per turn, including the kernel's part, is compared with that of the neighboring blocks without
a recording.

Raw data go to OUTPUT/switches.csv, the summary to OUTPUT/switches.md (default: docs/benchmarks).
"""
import argparse
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "overhead"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import tools
from results import Results, output_option
from tools import ct

SECONDS, SETTLES = 3, 1.5
KINDS = ("none", "all", "auto", "timer")
FIELDS = ("block", "clocks", "cpu_ms", "turns", "us_per_turn", "by_lot", "samples")


def switches(pid):
    """All context switches of the process's threads so far: two turns need two, whatever else runs."""
    total = 0
    for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status"):
        for line in status.read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                total += int(line.split()[1])
    return total


def block(jvm, kind, interval, number, results):
    if kind != "none":
        clock = {"clock": kind} if kind == "timer" else {"clocks": kind}
        good, answer = jvm.control("start", file=ct.WORK / "block.jfr", interval=interval, **clock)
        if not good:
            raise SystemExit(f"bench/switches: {answer}")
    time.sleep(SETTLES)
    cpu, turns = jvm.cpu_ns(), switches(jvm.pid)
    time.sleep(SECONDS)
    cpu, turns = jvm.cpu_ns() - cpu, switches(jvm.pid) - turns
    status = jvm.control("status")[1] if kind != "none" else {}
    if kind != "none":
        jvm.control("stop")
    results.add(block=number, clocks=kind, cpu_ms=cpu // 1_000_000, turns=turns, us_per_turn=round(cpu / turns / 1000, 3),
                by_lot=status.get("clocks", ""), samples=status.get("samples", ""))


def compare(rows):
    """The ratio of each block to the mean of the blocks without a recording before and after it."""
    for block in {row["block"] for row in rows}:
        mine = [row for row in rows if row["block"] == block]
        base = statistics.mean(row["us_per_turn"] for row in mine if row["clocks"] == "none")
        for row in mine:
            row["ratio"] = round(row["us_per_turn"] / base, 4)


def summary(results, options):
    rows = results.rows
    lines = ["# Clocks at context switches", "",
             f"Made by `script/bench switches` on {results.date}; raw data in `switches.csv`. JDK {options.jdk}, {options.pairs}",
             f"pairs of threads, one switch a turn, `--interval {options.interval}`; {options.blocks} blocks, each with every kind of",
             "clocks for three seconds, between two without a recording. CPU time of the process, the kernel's part included.", "",
             "| clocks | us per turn (median) | ratio to none (median) | least | most |", "|---|---|---|---|---|"]
    for kind in KINDS:
        mine = [row for row in rows if row["clocks"] == kind]
        ratios = [row["ratio"] for row in mine]
        lines.append(f"| {kind} | {statistics.median(row['us_per_turn'] for row in mine):.2f} | {statistics.median(ratios):.3f} "
                     f"| {min(ratios):.3f} | {max(ratios):.3f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--interval", default="10ms")
    parser.add_argument("--jdk", type=int, default=25)
    output_option(parser)
    options = parser.parse_args()
    results = Results(options.output / "switches.csv", FIELDS)
    seconds = options.blocks * (len(KINDS) + 1) * (SECONDS + SETTLES + 1) + 60
    with ct.Jvm(ct.jdk(options.jdk), "Relay", options.pairs, seconds, agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        jvm.say("go")
        time.sleep(2)
        for number in range(options.blocks):
            order = KINDS[1:] if number % 2 else KINDS[:0:-1]
            for kind in ["none", *order, "none"]:
                block(jvm, kind, options.interval, number, results)
        jvm.kill()
    compare(results.rows)
    (options.output / "switches.md").write_text(summary(results, options))


main()
