#!/usr/bin/env python3
"""How true profiles are: candor with each of its clocks, async-profiler and JDK Flight Recorder on programs of known truth.

usage: script/bench truth [--runs N] [--duration TIME] [--jdks 17,25] [--cases a,b] [--output FILE.csv]
       script/bench truth --table FILE.csv      prints the table of a result

Runs `candor verify` with all tools on each JDK, N times: the tools take turns case by case. Each part of each run is a row of
the result (docs/benchmarks/README.md). Tools that a JDK does not know are left out.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
import candortest as ct

FIELDS = ("jdk", "run", "case", "tool", "verdict", "part", "truth", "share", "low", "high", "cpu_ratio", "samples")
OURS = ("candor", "candor:signal", "candor:timer", "candor:itimer", "late", "recompile", "safepoint")


def tools_of(version, library):
    peers = [f"async-profiler={library}:{event}" for event in ("cpu", "ctimer", "itimer")] + (["jfr"] if version >= 11 else [])
    return ",".join([*OURS, *peers, *(["jfr-cpu"] if version >= 25 else [])])


def measure(options):
    library = subprocess.run([ROOT / "bench" / "fetch_peers.sh"], check=True, capture_output=True, text=True).stdout.strip()
    cases = options.cases.split(",") if options.cases else []
    for run in range(options.runs):
        for version in map(int, options.jdks.split(",")):
            jdk = ct.jdk(version)
            if not jdk:
                sys.exit(f"truth: no JDK {version} in {ct.JDKS}; run script/jdks")
            command = [ct.PROGRAM, "verify", "--json", "--java", jdk.home, "-d", options.duration, "--interval", "1ms", "--tools",
                       tools_of(version, f"{library}/libasyncProfiler.so"), *cases]
            began = time.monotonic()
            answer = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
            print(f"run {run + 1}, JDK {version}: {time.monotonic() - began:.0f} s", file=sys.stderr)
            for one in answer["runs"]:
                yield from rows_of(version, run, one)


def rows_of(version, run, one):
    common = {"jdk": version, "run": run, "case": one["case"], "tool": one["tool"], "verdict": one["verdict"]}
    if "parts" not in one:
        yield common
    for part in one.get("parts", []):
        yield {**common, "part": part["name"], "truth": part["true_share"], "share": part["share"], "low": part["low"],
               "high": part["high"], "cpu_ratio": f"{one['cpu_ns'] / one['true_cpu_ns']:.4f}", "samples": one["samples"]}


def print_table(path):
    """Per case and tool: how far the worst part is off, in points, the median over runs and JDKs, and the largest."""
    errors, tools, cases = {}, [], []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            for name, seen in ((row["tool"], tools), (row["case"], cases)):
                if name not in seen:
                    seen.append(name)
            if row["part"]:
                runs = errors.setdefault((row["case"], row["tool"]), {})
                key = (row["jdk"], row["run"])
                runs[key] = max(runs.get(key, 0), 100 * abs(float(row["share"]) - float(row["truth"])))
    print(f"| case | {' | '.join(tools)} |\n|---|{'---|' * len(tools)}")
    for case in cases:
        cells = [sorted(errors.get((case, tool), {}).values()) for tool in tools]
        print(f"| {case} | {' | '.join(f'{statistics.median(cell):.1f} ({cell[-1]:.1f})' if cell else '-' for cell in cells)} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--duration", default="3s")
    parser.add_argument("--jdks", default="11,17,21,25,27")
    parser.add_argument("--cases", default="")
    parser.add_argument("--output", default="truth.csv")
    parser.add_argument("--table")
    options = parser.parse_args()
    if not options.table:
        with open(options.output, "w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            for row in measure(options):
                writer.writerow(row)
                file.flush()
    print_table(options.table or options.output)


main()
