#!/usr/bin/env python3
"""How true profiles are: candor with each of its clocks, async-profiler and JDK Flight Recorder, on programs with known true shares.

usage: script/bench truth [--runs N] [--duration TIME] [--jdks 17,25] [--cases a,b] [--output FOLDER]
       script/bench truth --page FOLDER      writes the page again, from the raw data there

Runs `candor verify` with all tools on each JDK, N times: the tools take turns case by case. Each part of each run is a row of
OUTPUT/truth.csv; the summary is OUTPUT/truth.md (default: docs/benchmarks). Tools that a JDK does not have are left out.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import candortest as ct
from results import Results, output_option
from truth_page import write_page

FIELDS = ("jdk", "run", "case", "tool", "verdict", "part", "truth", "share", "low", "high", "cpu_ratio", "samples")
OURS = ("candor", "candor:signal", "candor:timer", "candor:itimer", "late", "recompile", "safepoint")


def tools_of(version, library):
    peers = [f"async-profiler={library}:{event}" for event in ("cpu", "ctimer", "itimer")] + (["jfr"] if version >= 11 else [])
    return ",".join([*OURS, *peers, *(["jfr-cpu"] if version >= 25 else [])])


def add_run(results, version, run, one):
    common = {"jdk": version, "run": run, "case": one["case"], "tool": one["tool"], "verdict": one["verdict"]}
    if "parts" not in one:
        results.add(**common)
    for part in one.get("parts", []):
        results.add(**common, part=part["name"], truth=round(part["true_share"], 5), share=round(part["share"], 5),
                    low=round(part["low"], 5), high=round(part["high"], 5), cpu_ratio=round(one["cpu_ns"] / one["true_cpu_ns"], 4),
                    samples=one["samples"])


def measure(options):
    library = subprocess.run([ROOT / "bench" / "fetch_peers.sh"], check=True, capture_output=True, text=True).stdout.strip()
    cases = options.cases.split(",") if options.cases else []
    results = Results(options.output / "truth.csv", FIELDS)
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
                add_run(results, version, run, one)


def main():
    parser = argparse.ArgumentParser(prog="script/bench truth")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--duration", default="3s")
    parser.add_argument("--jdks", default="11,17,21,25,27")
    parser.add_argument("--cases", default="")
    parser.add_argument("--page", type=pathlib.Path)
    output_option(parser)
    options = parser.parse_args()
    if not options.page:
        measure(options)
    folder = options.page or options.output
    with open(folder / "truth.csv", newline="") as file:
        write_page(folder / "truth.md", list(csv.DictReader(file)))


main()
