#!/usr/bin/env python3
"""How many intervals hold the truth: each case of candor verify hundreds of times in one JVM, and how wide the intervals are.

usage: script/bench intervals [--rounds N] [--duration TIME] [--jdk 25] [--cases a,b] [--output FOLDER]

Of each case's parts all rounds' 95 % intervals are counted together, and those that hold the truth; chance leaves fewer than 918 of
1,000 once in 150,000 times where each holds it with 95 %. The width is the mean interval's over 3.92 standard deviations of the
errors: 1 is as wide as it need be.

Raw data go to OUTPUT/intervals.csv, the summary to OUTPUT/intervals.md (default: docs/benchmarks).
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import candortest as ct
from results import Results, output_option

GOAL_HELD, GOAL_WIDTH = 0.918, 1.5
FIELDS = ("jdk", "case", "rounds", "intervals", "held", "width", "part", "mean_error", "root_mean_square_error", "mean_width")


def measure(jdk, case, options, results):
    """One row for each part, which repeats its case's sums."""
    command = [ct.PROGRAM, "verify", "--json", "--java", jdk.home, "--tools", "candor", "-d", options.duration, "--rounds",
               str(options.rounds), case]
    run = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)["runs"][0]
    if "parts" not in run:
        print(f"{case}: {run['verdict']}: {run['why']}", file=sys.stderr)
        return
    print(f"{case}: {run['intervals_held']} of {run['intervals']}, width {run['interval_width']:.2f}", file=sys.stderr)
    for part in run["parts"]:
        results.add(jdk=jdk.version, case=case, rounds=run["rounds"], intervals=run["intervals"], held=run["intervals_held"],
                    width=round(run["interval_width"], 3), part=part["name"], **{key: round(part[key], 6) for key in FIELDS[7:]})


def write_page(path, results, options):
    lines = ["# Intervals: how many hold the truth", "",
             f"Made by `script/bench intervals` on {results.date}, JDK {options.jdk}; raw data in `intervals.csv`.",
             f"{options.rounds} rounds of each case, {options.duration} of CPU time each; the parts of a case that make up a point or",
             "more are counted together.", "",
             f"| case | intervals | held | share (goal {GOAL_HELD}) | width, of what is needed (goal {GOAL_WIDTH}) |",
             "|---|---|---|---|---|"]
    for row in {row["case"]: row for row in results.rows}.values():
        share = row["held"] / row["intervals"]
        cells = [f"{value}" if good else f"**{value}**" for value, good in
                 ((f"{share:.3f}", share >= GOAL_HELD), (f"{row['width']:.2f}", row["width"] <= GOAL_WIDTH))]
        lines.append(f"| {row['case']} | {row['intervals']:,} | {row['held']:,} | {' | '.join(cells)} |")
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench intervals")
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--duration", default="300ms")
    parser.add_argument("--jdk", type=int, default=25)
    parser.add_argument("--cases", default="")
    output_option(parser)
    options = parser.parse_args()
    jdk = ct.jdk(options.jdk)
    if not jdk:
        sys.exit(f"intervals: no JDK {options.jdk} in {ct.JDKS}; run script/jdks")
    listed = subprocess.run([ct.PROGRAM, "verify", "--list"], check=True, capture_output=True, text=True).stdout
    results = Results(options.output / "intervals.csv", FIELDS)
    for case in options.cases.split(",") if options.cases else [line.split()[0] for line in listed.splitlines()]:
        measure(jdk, case, options, results)
    write_page(options.output / "intervals.md", results, options)


main()
