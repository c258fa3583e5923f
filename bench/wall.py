#!/usr/bin/env python3
"""How much of the threads' elapsed time a wall-clock profile shows: sleepers, and many busy threads on few processors; compared with
async-profiler.

usage: script/bench wall [--rounds N] [--seconds S] [--jdk 25] [--loads a,b] [--output FOLDER]

Candor's event wall and async-profiler's, both at 50 ms, in turns. The programs know how long each of their threads lived. `sleepers`
are twelve threads that are parked, sleep, wait, and are blocked at a monitor; `busy N` are N threads that can use a processor all the
time. The time that a profile shows is the sum for these threads: candor.WallSample's weights; samples of profiler.WallClockSample
times the interval. The ratio to the true time is 1 if a profile is right; candor may miss a part of a round at each end of a thread.

Raw data go to OUTPUT/wall.csv, the summary to OUTPUT/wall.md (default: docs/benchmarks).
"""
import argparse
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "overhead"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import tools
import jfrfile
from results import Results, output_option
from tools import ct

INTERVAL_US = 50_000
SLEEPERS = {kind: 3 for kind in ("parked", "slept", "waited", "blocked")}
LOADS = {"sleepers": 12, "busy 8": 8, "busy 32": 32, "busy 250": 250}
FIELDS = ("jdk", "load", "tool", "round", "threads", "true_s", "told_s", "ratio", "threads_seen")
GOAL = 0.03


class CandorWall:
    name = "candor"

    def start(self, jvm, path):
        result = ct.attach(jvm, path, f"{INTERVAL_US}us", "-e", "wall")
        if result.status:
            raise RuntimeError(result)

    def stop(self, jvm, path):
        ct.candor("stop", jvm.pid)

    @staticmethod
    def told(path):
        return ((event["eventThread"], event["weight"]) for event in jfrfile.events(path, {"candor.WallSample"}))


class PeerWall(tools.AsyncProfiler):
    def __init__(self):
        super().__init__("wall", INTERVAL_US)
        self.name = "async-profiler"

    @staticmethod
    def told(path):
        for event in jfrfile.events(path, {"profiler.WallClockSample"}):
            yield event["sampledThread"], event["samples"] * INTERVAL_US * 1000


def profiled_sleep(jdk, tool, path, seconds):
    """Nanoseconds that the threads lived while they were profiled, and the prefixes of their names."""
    until = ct.WORK / "until"
    with ct.Jvm(jdk, "Waiters") as jvm:
        jvm.expect("ready")
        jvm.say(" ".join(["go", "wait", f"until={until}", *(f"{kind}={n}" for kind, n in SLEEPERS.items())]))
        jvm.expect("waiting")
        tool.start(jvm, path)
        begun = time.monotonic_ns()
        time.sleep(seconds)
        lived = time.monotonic_ns() - begun
        tool.stop(jvm, path)
        until.touch()
        jvm.expect("done")
        jvm.finish()
    until.unlink()
    return lived * sum(SLEEPERS.values()), tuple(f"{kind}-" for kind in SLEEPERS)


def profiled_work(jdk, tool, path, seconds, threads):
    with ct.Jvm(jdk, "Crowd") as jvm:
        jvm.expect("ready")
        jvm.round("busy", threads=2, seconds=1)
        tool.start(jvm, path)
        truth = jvm.round("busy", threads=threads, seconds=seconds)
        tool.stop(jvm, path)
        jvm.finish()
    return sum(int(ns) for ns in str(truth["inner"]).split(",")), ("busy-",)


def measure(jdk, load, tool, seconds):
    path = ct.WORK / "wall.jfr"
    if load == "sleepers":
        true, prefixes = profiled_sleep(jdk, tool, path, seconds)
    else:
        true, prefixes = profiled_work(jdk, tool, path, seconds, LOADS[load])
    mine = [(thread["javaName"], ns) for thread, ns in tool.told(path) if (thread["javaName"] or "").startswith(prefixes)]
    told = sum(ns for _, ns in mine)
    return {"true_s": round(true / 1e9, 3), "told_s": round(told / 1e9, 3), "ratio": round(told / true, 4),
            "threads_seen": len({name for name, _ in mine})}


def write_page(path, results, options):
    lines = ["# Wall: how much of the threads' elapsed time is told", "",
             f"Made by `script/bench wall` on {results.date}, JDK {options.jdk}, {os.cpu_count()} processors, {options.seconds} s each,",
             f"both tools at {INTERVAL_US // 1000} ms; raw data in `wall.csv`. Told of true time: the median of {options.rounds} rounds",
             "(least to most).", "",
             f"| load | threads | true | candor (goal within {GOAL:.0%}) | async-profiler |", "|---|---|---|---|---|"]
    for load in dict.fromkeys(row["load"] for row in results.rows):
        cells = []
        for tool in ("candor", "async-profiler"):
            ratios = [row["ratio"] for row in results.rows if (row["load"], row["tool"]) == (load, tool)]
            middle = statistics.median(ratios)
            text = f"{100 * middle:.1f} % ({100 * min(ratios):.1f} to {100 * max(ratios):.1f})"
            cells.append(text if abs(middle - 1) <= GOAL else f"**{text}**")
        true = statistics.median(row["true_s"] for row in results.rows if row["load"] == load)
        lines.append(f"| {load} | {LOADS[load]} | {true:.0f} s | {' | '.join(cells)} |")
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench wall")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--jdk", type=int, default=25)
    parser.add_argument("--loads", default=",".join(LOADS))
    output_option(parser)
    options = parser.parse_args()
    jdk = ct.jdk(options.jdk) or sys.exit(f"wall: no JDK {options.jdk} in {ct.JDKS}; run script/jdks")
    results = Results(options.output / "wall.csv", FIELDS)
    for number in range(options.rounds):
        for load in options.loads.split(","):
            for tool in (CandorWall(), PeerWall()):
                found = measure(jdk, load, tool, options.seconds)
                row = results.add(jdk=options.jdk, load=load, tool=tool.name, round=number, threads=LOADS[load], **found)
                print(f"{row['load']}, {row['tool']}: {row['told_s']} of {row['true_s']} s", file=sys.stderr)
    write_page(options.output / "wall.md", results, options)


main()
