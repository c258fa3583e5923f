#!/usr/bin/env python3
"""How many intervals contain the true value: each case of candor verify, hundreds of times in one JVM, and how wide the intervals are.

usage: script/bench intervals [--intervals N] [--duration TIME] [--interval TIME] [--jdk 25] [--cases a,b] [--output FOLDER]
       script/bench intervals --page FOLDER      writes the page again, from the raw data there

For each case, the 95 % intervals of all its parts and rounds are counted, and those that contain the true value. If each contains it
with 95 %, chance leaves fewer than 918 of 1,000 once in 150,000 times. The width is the mean interval's, divided by 3.92 standard
deviations of the errors: 1 is as wide as necessary. The programs do each thing for half a millisecond. At an interval that is as
short, they are nearly in step with the clock, and the errors are much smaller than any interval may promise; at several times that
interval, samples are independent draws.

Raw data go to OUTPUT/intervals.csv, the summary to OUTPUT/intervals.md (default: docs/benchmarks).
"""
import argparse
import csv
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
FIELDS = ("jdk", "duration", "interval", "case", "rounds", "intervals", "held", "width",
          "part", "mean_error", "root_mean_square_error", "mean_width")


def verify(jdk, case, options, rounds):
    command = [ct.PROGRAM, "verify", "--json", "--java", jdk.home, "--tools", "candor", "-d", options.duration,
               "-i", options.interval, "--rounds", str(rounds), case]
    return json.loads(subprocess.run(command, capture_output=True, text=True).stdout)["runs"][0]


def measure(jdk, case, options, results):
    """One row for each part, with the sums of its case repeated."""
    run = verify(jdk, case, options, 2)
    if run.get("intervals"):
        run = verify(jdk, case, options, -(-2 * options.intervals // run["intervals"]))
    if not run.get("intervals"):
        print(f"{case}: {run['verdict']}: {run.get('why', 'no part makes up a point')}", file=sys.stderr)
        return
    print(f"{case}: {run['intervals_held']} of {run['intervals']}, width {run['interval_width']:.2f}", file=sys.stderr)
    for part in run["parts"]:
        results.add(jdk=jdk.version, duration=options.duration, interval=options.interval, case=case, rounds=run["rounds"],
                    intervals=run["intervals"], held=run["intervals_held"], width=round(run["interval_width"], 3), part=part["name"],
                    **{key: round(part[key], 6) for key in FIELDS[9:]})


def write_page(folder):
    with open(folder / "intervals.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    first, path = rows[0], folder / "intervals.md"
    lines = ["# Intervals: how many hold the truth", "",
             f"Made by `script/bench intervals` on {first['date']}, JDK {first['jdk']}; raw data in `intervals.csv`.",
             f"Each case in rounds of {first['duration']} of CPU time, a sample each {first['interval']}; the parts of a case that make up",
             "a point or more are counted together.", "",
             f"| case | intervals | held | share (goal {GOAL_HELD}) | width, of what is needed (goal {GOAL_WIDTH}) |",
             "|---|---|---|---|---|"]
    for row in {row["case"]: row for row in rows}.values():
        intervals, held, width = int(row["intervals"]), int(row["held"]), float(row["width"])
        cells = [f"{value}" if good else f"**{value}**" for value, good in
                 ((f"{held / intervals:.3f}", held >= GOAL_HELD * intervals), (f"{width:.2f}", width <= GOAL_WIDTH))]
        lines.append(f"| {row['case']} | {intervals:,} | {held:,} | {' | '.join(cells)} |")
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench intervals")
    parser.add_argument("--intervals", type=int, default=1000, help="how many of each case, at least (default: 1000)")
    parser.add_argument("--duration", default="300ms")
    parser.add_argument("--interval", default="3ms", help="CPU time of a thread between two samples (default: 3ms)")
    parser.add_argument("--jdk", type=int, default=25)
    parser.add_argument("--cases", default="")
    parser.add_argument("--page", type=pathlib.Path)
    output_option(parser)
    options = parser.parse_args()
    if options.page:
        return write_page(options.page)
    jdk = ct.jdk(options.jdk)
    if not jdk:
        sys.exit(f"intervals: no JDK {options.jdk} in {ct.JDKS}; run script/jdks")
    listed = subprocess.run([ct.PROGRAM, "verify", "--list"], check=True, capture_output=True, text=True).stdout
    results = Results(options.output / "intervals.csv", FIELDS)
    for case in options.cases.split(",") if options.cases else [line.split()[0] for line in listed.splitlines()]:
        measure(jdk, case, options, results)
    return write_page(options.output)


main()
