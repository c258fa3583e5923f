#!/usr/bin/env python3
"""The costs of candor server: CPU time per megabyte received, bytes per row, seconds per query, memory, and a restart.

usage: script/bench server [--megabytes N] [--runs N] [--hosts N] [--hours N] [--rows N] [--stacks N] [--others N]
                           [--only-fleet] [--output FOLDER]

Two kinds of recordings (bench/server/recordings.c): `zipf`, with 20,000 stacks of which few have most samples, and `unique`, with
stacks that hardly ever occur twice. For each, recordings of a minute are sent to a separate server, which then answers for one of
them and for an hour. A third server gets a fleet (bench/server/fleet.py): a recording a minute from each host, with ROWS samples of each
of six kinds, Zipf; then ten times as many other services beside it.

The defaults take about ten minutes of CPU, a quarter of it for making recordings. The fleet of a data center, --hosts 100 --hours 24
--stacks 20000, takes about six hours and 40 GB. Raw data go to OUTPUT/server.csv, the results beside the goals to OUTPUT/server.md
(default: docs/benchmarks).
"""
import argparse
import math
import os
import pathlib
import platform
import shutil
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "server"))
import candortest as ct
import fleet
from results import output_option
from server_costs import START, Figures, cpu_seconds, make, restart, send, settle, size_of
from servers import Server

KINDS = {"zipf": 20000, "unique": 0}  # how many stacks there are
SAMPLES = {"zipf": 6000, "unique": 1200}  # a minute
QUERIES = {"flame graph": ("/v1/flamegraph", {}), "methods": ("/v1/methods", {}), "series": ("/v1/series", {"by": "host"})}
NOISE_BITS = math.log2(2 * 200_000)  # JITTER_NS of recordings.c


def ask(server, results, part, kind, runs, **selection):
    for name, (path, more) in QUERIES.items():
        for run in range(runs):
            before, began = cpu_seconds(server), time.monotonic()
            status, _, content = server.request("GET", path, **{**selection, **more})
            seconds = time.monotonic() - began
            if status != 200 or b'"unreadable":[]' not in content and path != "/v1/series":
                sys.exit(f"server: {path}: {status} {content[:300]}")
            results.add(part, kind, name, 1000 * seconds, "ms", run)
            results.add(part, kind, f"{name}, CPU", 1000 * (cpu_seconds(server) - before), "ms", run)


def measure_kind(options, results, kind):
    """Sends recordings of a minute until there are this many megabytes; then measures queries for one and for an hour of them."""
    server = Server(kind)
    files = make(ct.WORK / "made", 60, SAMPLES[kind], 60, START, KINDS[kind], seed=1)
    wanted, sent, batch = options.megabytes * 1_000_000, 0, 0
    while sent < wanted or not batch:
        before = cpu_seconds(server)
        size, seconds = send(server, files, service="shop", host=f"web-{batch}", version="1")
        used = cpu_seconds(server) - before
        results.add("ingest", kind, "MB/s of a core", size / 1e6 / used, "MB/s", batch)
        results.add("ingest", kind, "MB/s", size / 1e6 / seconds, "MB/s", batch)
        results.add("ingest", kind, "CPU per recording", 1000 * used / len(files), "ms", batch)
        sent += size
        batch += 1
    results.add("ingest", kind, "bytes of a recording", sent / batch / len(files), "B")
    hour = {"select": 'host="web-0"', "from": START, "to": START + 3600}
    ask(server, results, "one recording", kind, options.runs, **{**hour, "to": START + 60})
    ask(server, results, "one hour", kind, options.runs, **hour)
    settle(server)
    ask(server, results, "one hour, merged", kind, options.runs, **hour)
    size_of(server, results, "one hour, merged", kind)
    server = restart(server, results, "one hour, merged", kind)
    server.end()
    shutil.rmtree(server.data)


# -- the page --------------------------------------------------------------------------------------------------------

def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def figure(values):
    """The median and, if there are several, the quartiles."""
    if len(values) < 3:
        return number(statistics.median(values)) if values else "-"
    low, _, high = statistics.quantiles(values, n=4)
    return f"{number(statistics.median(values))} ({number(low)} to {number(high)})"


def latency(results, part, kind, name):
    cpu = statistics.median(results.of(part, kind, f"{name}, CPU"))
    return f"{figure(results.of(part, kind, name))} ms, CPU {number(cpu)} ms"


def goals(results, options):
    """(what, goal, value for each kind that has one)"""
    table = [("ingest, one core", "100 MB/s", {kind: figure(results.of("ingest", kind, "MB/s of a core")) + " MB/s" for kind in KINDS})]
    for what in ("segment", "dictionary"):
        table.append((f"{what} bytes per row", "2 B" if what == "segment" else "",
                      {kind: figure(results.of("one hour, merged", kind, f"{what} bytes per row")) + " B" for kind in KINDS}))
    for part in ("one recording", "one hour", "one hour, merged"):
        for name in QUERIES:
            goal = "150 ms" if name == "flame graph" and part != "one recording" else ""
            table.append((f"{name}, {part}", goal, {kind: latency(results, part, kind, name) for kind in KINDS}))
    return table


def write_page(path, results, options):
    lines = ["# The server, measured", "",
             f"Made by `script/bench server` on {results.date}; raw data in `server.csv`. {os.cpu_count()} processors,",
             f"{platform.machine()}, Linux {platform.release().partition('-')[0]}, load average {os.getloadavg()[0]:.1f} at the end.",
             "Medians, in brackets the quartiles over the runs. Latencies are those of one client on the same machine that asks one",
             "after the other; the page cache is warm. On a machine with other work they say little, and the server's own CPU",
             "time more.", "",
             "## Recordings of one kind", "",
             "`zipf`: 20,000 stacks, the r-th with the share 1/r of the first. `unique`: each sample's stack is drawn among 2^40, and has",
             f"only its roots in common with others. Both of 30 to 90 frames, recordings of a minute with {SAMPLES['zipf']:,} or",
             f"{SAMPLES['unique']:,} samples of 20 threads, in which weights are exact CPU times that vary by {NOISE_BITS:.1f} bits,",
             "which no column can pack. They are sent one after the other; CPU is that of the server's process.", "",
             "| what | goal | zipf | unique |", "|---|---|---|---|"]
    for what, goal, values in goals(results, options):
        lines.append(f"| {what} | {goal} | {values.get('zipf', '')} | {values.get('unique', '')} |")
    lines += ["", *fleet.page(results, options)]
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=40, help="of recordings of each kind")
    parser.add_argument("--runs", type=int, default=9, help="of each query")
    parser.add_argument("--hosts", type=int, default=10)
    parser.add_argument("--hours", type=int, default=2)
    parser.add_argument("--rows", type=int, default=1000, help="samples of each kind in a recording of the fleet")
    parser.add_argument("--stacks", type=int, default=20000, help="different stacks of the fleet; 0 = hardly any comes twice")
    parser.add_argument("--others", type=int, default=10, help="other services beside the fleet, for each of its own; 0 = none")
    parser.add_argument("--only-fleet", action="store_true", help="print the fleet's page only, and leave the others as they are")
    output_option(parser)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    results = Figures(options.output)
    if options.only_fleet:
        fleet.measure(options, results)
        print("\n".join(fleet.page(results, options)))
        return
    for kind in KINDS:
        measure_kind(options, results, kind)
    fleet.measure(options, results)
    write_page(options.output / "server.md", results, options)


main()
