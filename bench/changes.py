#!/usr/bin/env python3
"""What changes between two versions of a simulated fleet are found, how soon, and how often something is reported where nothing changed.

usage: script/bench changes [--trials N] [--scale X] [--jobs N] [--output FOLDER]
       script/bench changes --page FOLDER      writes the page again, from the raw data there

bench/changes/simulate.c draws what each host has of each of 10,000 functions, and compares it with the server's code. Nothing is
measured: the same draws give the same figures on every machine. --scale 0.1 makes a tenth of the comparisons.

Raw data go to OUTPUT/changes.csv, the summary to OUTPUT/changes.md (default: docs/benchmarks).
"""
import argparse
import concurrent.futures
import csv
import math
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "lib"))
from results import Results, output_option

LEVEL, FOUND = 0.01, 0.8
CORES, RATE, HOUR, DAY = 8, 100, 3600, 86400  # of a host: busy cores, samples of each a second
# (name, kind, settings, comparisons)
NOTHING = (("30 days, each hour against the hour before, 20 hosts", {"hosts": 20, "samples": CORES * RATE * HOUR}, 720),
           ("10 days of these, where hosts differ much", {"hosts": 20, "samples": CORES * RATE * HOUR, "own": 0.5, "other": 0.1, "load": 0.5},
            240),
           ("30 days, each day against the day before, 100 hosts", {"hosts": 100, "samples": CORES * RATE * DAY}, 30))
GROWS = ((0.02, 0.005), (0.01, 0.0005), (0.001, 0.00005))
TIMES = (1, 1.5)
SETTINGS = ("hosts", "functions", "own", "other", "load", "share", "growth", "times")
COUNTS = ("samples", "any", "sure", "tests", "rare", "found", "surest", "others", "moved", "detectable")
FIELDS = ("name", "kind", "trials", *SETTINGS, *COUNTS)
DEFAULTS = {"hosts": 100, "functions": 10000, "own": 0.2, "other": 0.03, "load": 0.3, "share": 0, "growth": 0, "times": 0}


def simulate(name, kind, trials, **settings):
    settings = {**DEFAULTS, **settings}
    command = [ROOT / "build" / "bench" / "changes" / "simulate", kind, f"trials={trials}",
               *(f"{key}={value}" for key, value in settings.items() if key != "times" or value)]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    counts = dict(word.split("=") for word in line.split())
    print(f"{name}, {kind}: {line.strip()}", file=sys.stderr)
    return {"name": name, "kind": kind, "trials": trials, **{key: settings[key] for key in SETTINGS}, **counts}


def run(options):
    planted = max(1, round(options.trials * options.scale))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = [pool.submit(simulate, name, "nothing", max(1, round(trials * options.scale)), **settings)
                for name, settings, trials in NOTHING]
        rows += [pool.submit(simulate, f"{100 * growth:g} %", "grows", planted, share=share, growth=growth, times=times)
                 for share, growth in GROWS for times in TIMES]
        rows.append(pool.submit(simulate, "renamed", "moves", planted, hosts=20, share=0.001, samples=1e6))
        results = Results(options.output / "changes.csv", FIELDS)
        for row in rows:
            results.add(**row.result())


def upper(k, n):
    """The rate below which it is with 95 % confidence (Clopper and Pearson), of k in n."""
    low, high = k / n, 1.0
    while high - low > 1e-6:
        p = (low + high) / 2
        tail = sum(math.exp(math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(p) +
                            (n - i) * math.log1p(-p)) for i in range(k + 1))
        low, high = (p, high) if tail > 0.05 else (low, p)
    return high


def duration(seconds):
    return (f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h")


def nothing_lines(rows):
    lines = ["## Where nothing changed", "",
             "A comparison that finds anything is a false alarm. The stated rate is 1 in 100 comparisons.", "",
             "| comparisons | hosts | tests in each | with a false alarm | rate | 95 % bound of the rate | p below 1 in 10,000, of as many as expected |",
             "|---|---|---|---|---|---|---|"]
    for row in rows:
        n, k, tests = int(row["trials"]), int(row["any"]), int(row["tests"])
        lines.append(f"| {n} ({row['name']}) | {row['hosts']} | {tests // n:,} | {k} | {100 * k / n:.2f} % | {100 * upper(k, n):.2f} % | "
                     f"{int(row['rare']) / (1e-4 * tests):.2f} |")
    return lines


def grows_lines(rows):
    lines = ["", "## Where one function costs more", "",
             "*Time* is how long each of 100 hosts with 8 busy cores must be sampled, at 100 samples a second and core, on each side. The",
             "arithmetic: the growth is as many standard errors as the level over all tests, and a chance of four in five, ask for;",
             "the errors are those of Poisson draws and of the hosts' effects. *LEAST* is what the comparison itself says is the least",
             "growth that it finds in four of five.", "",
             "| growth, of all CPU time | of the function | time, of the arithmetic | time | found | it is the surest change | another function is "
             "named | LEAST |", "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        n, share, growth, times = int(row["trials"]), float(row["share"]), float(row["growth"]), float(row["times"])
        found = f"{row['found']} of {n}"
        good = times == 1 or int(row["found"]) >= FOUND * n
        lines.append(f"| {row['name']} | {100 * share:g} % grows by {100 * growth / share:g} % | {times:g} x | "
                     f"{duration(float(row['samples']) / CORES / RATE)} | {found if good else f'**{found}**'} | {row['surest']} | "
                     f"{row['others']} | {100 * float(row['detectable']):.4f} % |")
    return lines


def write_page(folder):
    with open(folder / "changes.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    of = {kind: [row for row in rows if row["kind"] == kind] for kind in ("nothing", "grows", "moves")}
    moved = of["moves"][0]
    lines = ["# Changes of a simulated fleet", "",
             f"Made by `script/bench changes` on {rows[0]['date']}; raw data in `changes.csv`. Nothing is measured: draws are compared by the",
             "code that answers `/v1/changes` (`src/profile/figures/changes.c`), so the figures are the same on every machine.", "",
             "10,000 functions with shares by Zipf's law, each called by one of 100 parts. A host's cost of a function varies by 20 %",
             "between hosts, and by 3 % between the two sides of a host; its load by 30 % between the sides (gamma distributions).",
             "Where hosts differ much, these are 50, 10 and 50 %. Samples are Poisson draws.", "",
             *nothing_lines(of["nothing"]), *grows_lines(of["grows"]), "", "## Where a function moved", "",
             f"A function with 0.1 % of the CPU time is renamed: in {moved['moved']} of {moved['trials']} comparisons the answer says that its cost "
             f"moved, and to which; another function is named in {moved['others']}.", "", *BESIDE]
    path = folder / "changes.md"
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


BESIDE = """## Beside FBDetect

Meta's FBDetect (SOSP '24) is the published system that finds the smallest regressions. Its figures are of production, these are of a
simulation, so that they say nothing of which is better:

| | FBDetect, as published | here |
|---|---|---|
| smallest regression found | 0.005 % of a service's CPU time | 0.005 % of all CPU time, in the time above, if hosts differ no more than here |
| seen in | hundreds of services on millions of servers, 800,000 time series, seven years | draws for 100 hosts and 10,000 functions |
| how a small regression is found | 0.05 % of the whole is 5 % of a subroutine, so subroutines are watched | the same: the rows above are 25, 5 and 5 % of their function |
| what keeps false alarms away | filters: regressions that go away again, seasons, cost that shifts between functions, duplicates | a stated rate over all tests, hosts compared with themselves, cost that moved |
| false alarms | the paper's figures are of its own filters; it states no rate | the table above |
| what is not in it | | seasons, deployments that go on for hours, machines of several kinds, correlated hosts: each makes real errors larger |

Real hosts differ in ways that no gamma distribution has. What a comparison says of itself (the interval, and LEAST) comes from how the
hosts of that comparison differ, not from this page.""".split("\n")


def main():
    parser = argparse.ArgumentParser(prog="script/bench changes")
    parser.add_argument("--trials", type=int, default=100, help="comparisons with a planted change (default: 100)")
    parser.add_argument("--scale", type=float, default=1, help="make so many times as many comparisons")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="simulations at a time")
    parser.add_argument("--page", type=pathlib.Path)
    output_option(parser)
    options = parser.parse_args()
    if not options.page:
        run(options)
    return write_page(options.page or options.output)


main()
