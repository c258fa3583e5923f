#!/usr/bin/env python3
"""The costs of candor server: CPU time per megabyte received, bytes per row, seconds per query, memory, and a restart.

usage: script/bench server [--megabytes N] [--runs N] [--hosts N] [--hours N] [--minutes N] [--rate N] [--output FOLDER]

Two kinds of recordings (bench/server/recordings.c): `zipf`, with 20,000 stacks of which few have most samples, and `unique`, with
stacks that hardly ever occur twice. For each, recordings of a minute are sent to a separate server, which then answers for one of
them and for an hour. A third server gets a fleet: recordings of a given number of minutes from a number of hosts over a number of
hours, with `rate` samples a minute each, Zipf.

The defaults take about two minutes. The fleet of the estimate in docs/formats/server-api.md, 24 hours of 100 hosts, is --hours 24
--hosts 100. Raw data go to OUTPUT/server.csv, the results beside the goals to OUTPUT/server.md (default: docs/benchmarks).
"""
import argparse
import math
import os
import pathlib
import platform
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import candortest as ct
from results import Results, output_option
from servers import Server

MAKER = ct.BUILD / "bench" / "server" / "recordings"
FIELDS = ("part", "kind", "what", "value", "unit", "run")
DAY = 86400
START = (int(time.time()) // DAY - 2) * DAY  # a day that is over, so that all of it is merged
TICK = os.sysconf("SC_CLK_TCK")
KINDS = {"zipf": 20000, "unique": 0}  # how many stacks there are
SAMPLES = {"zipf": 6000, "unique": 1200}  # a minute
QUERIES = {"flame graph": ("/v1/flamegraph", {}), "methods": ("/v1/methods", {}), "series": ("/v1/series", {"by": "host"})}
NOISE_BITS = math.log2(2 * 200_000)  # JITTER_NS of recordings.c


class Figures(Results):
    def __init__(self, folder):
        super().__init__(folder / "server.csv", FIELDS)

    def add(self, part, kind, what, value, unit, run=0):
        super().add(part=part, kind=kind, what=what, value=float(f"{value:.6g}"), unit=unit, run=run)

    def of(self, part, kind, what):
        return [row["value"] for row in self.rows if (row["part"], row["kind"], row["what"]) == (part, kind, what)]


# -- the server's process --------------------------------------------------------------------------------------------

def cpu_seconds(server):
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory_mb(server, field):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition(f"{field}:")[2].split()[0]) / 1000


def catalogue(server):
    """(rows, segments, their bytes, the dictionaries' bytes, the recordings' bytes), from the catalogue."""
    with sqlite3.connect(f"file:{server.data}/catalogue.db?mode=ro", uri=True) as base:
        rows, segments, size = base.execute("SELECT sum(rows), count(*), sum(bytes) FROM segment WHERE bad IS NULL").fetchone()
        return (rows, segments, size, base.execute("SELECT sum(bytes) FROM dictionary").fetchone()[0],
                base.execute("SELECT sum(bytes) FROM recording").fetchone()[0])


def settle(server):
    """Waits until the server has no more to merge: it looks every ten seconds."""
    before, since = None, time.monotonic()
    while time.monotonic() - since < 22:
        segments = server.metrics()["candor_server_store_segments"]
        if segments != before:
            before, since = segments, time.monotonic()
        time.sleep(1)
    return before


# -- parts -----------------------------------------------------------------------------------------------------------

def make(folder, count, samples, seconds, start, distinct, seed, depth=60, threads=20):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run([str(word) for word in (MAKER, folder, count, samples, seconds, start, distinct, depth, threads, seed)], check=True)
    return [folder / f"{i}.jfr" for i in range(count)]


def send(server, files, **labels):
    """(bytes, seconds) for sending them one after the other."""
    size, began = 0, time.monotonic()
    for file in files:
        content = file.read_bytes()
        status, answer = server.send(content, **labels)
        if status != 200:
            sys.exit(f"server: {file.name} is not taken: {answer}")
        size += len(content)
    return size, time.monotonic() - began


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


def size_of(server, results, part, kind):
    rows, segments, segment_bytes, dictionary_bytes, recording_bytes = catalogue(server)
    results.add(part, kind, "rows", rows, "rows")
    results.add(part, kind, "segments", segments, "files")
    results.add(part, kind, "segment bytes per row", segment_bytes / rows, "B")
    results.add(part, kind, "dictionary bytes per row", dictionary_bytes / rows, "B")
    results.add(part, kind, "recording bytes per row", recording_bytes / rows, "B")
    results.add(part, kind, "resident at most", memory_mb(server, "VmHWM"), "MB")
    results.add(part, kind, "resident", memory_mb(server, "VmRSS"), "MB")


def restart(server, results, part, kind):
    """Ends it in both ways, and starts it again."""
    size = sum(file.stat().st_size for file in server.data.rglob("*") if file.is_file()) / 1e9
    for how in (signal.SIGTERM, signal.SIGKILL):
        server.end(how)
        began = time.monotonic()
        server = Server(server.data.name)
        seconds = time.monotonic() - began
        results.add(part, kind, f"restart after {how.name}", seconds, "s")
        results.add(part, kind, f"restart after {how.name}, per GB", seconds / size, "s/GB")
    results.add(part, kind, "data", size * 1000, "MB")
    return server


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


def measure_fleet(options, results):
    server = Server("fleet")
    count, samples = options.hours * 60 // options.minutes, options.rate * options.minutes
    before, total = cpu_seconds(server), 0
    for host in range(options.hosts):
        files = make(ct.WORK / "made", count, samples, 60 * options.minutes, START, KINDS["zipf"], seed=host + 10, threads=8)
        total += send(server, files, service="shop", host=f"web-{host}")[0]
    results.add("fleet", "zipf", "MB/s of a core", total / 1e6 / (cpu_seconds(server) - before), "MB/s")
    results.add("fleet", "zipf", "sent", total / 1e6, "MB")
    settle(server)
    size_of(server, results, "fleet", "zipf")
    when = {"from": START, "to": START + 3600 * options.hours}
    ask(server, results, "fleet", "zipf", options.runs, **when)
    ask(server, results, "one host of it", "zipf", options.runs, **{"select": 'host="web-0"', **when})
    results.add("fleet", "zipf", "resident at most, with queries", memory_mb(server, "VmHWM"), "MB")
    server = restart(server, results, "fleet", "zipf")
    server.end()


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
    def fleet_figure(what, unit):
        return {"zipf": f"{figure(results.of('fleet', 'zipf', what))} {unit}"}

    rows = results.of("fleet", "zipf", "rows")[0]
    table = [("ingest, one core", "100 MB/s", {kind: figure(results.of("ingest", kind, "MB/s of a core")) + " MB/s" for kind in KINDS})]
    for what in ("segment", "dictionary"):
        table.append((f"{what} bytes per row", "2 B" if what == "segment" else "",
                      {kind: figure(results.of("one hour, merged", kind, f"{what} bytes per row")) + " B" for kind in KINDS}))
    for part in ("one recording", "one hour", "one hour, merged"):
        for name in QUERIES:
            goal = "150 ms" if name == "flame graph" and part != "one recording" else ""
            table.append((f"{name}, {part}", goal, {kind: latency(results, part, kind, name) for kind in KINDS}))
    fleet = f"{options.hours} h of {options.hosts} hosts"
    for name in QUERIES:
        table.append((f"{name}, {fleet}, {rows / 1e6:.3g} M rows", "1 s for 193 M rows" if name == "flame graph" else "",
                      {"zipf": latency(results, "fleet", "zipf", name)}))
    for name in QUERIES:
        table.append((f"{name}, one host of it", "", {"zipf": latency(results, "one host of it", "zipf", name)}))
    table.append(("segment bytes per row of the fleet", "2 B", fleet_figure("segment bytes per row", "B")))
    table.append(("most memory, with queries", "500 MB", fleet_figure("resident at most, with queries", "MB")))
    for how in ("SIGTERM", "SIGKILL"):
        table.append((f"restart after {how}, per GB of all files", "", fleet_figure(f"restart after {how}, per GB", "s")))
    return table


def write_page(path, results, options):
    lines = ["# The server, measured", "",
             f"Made by `script/bench server` on {results.date}; raw data in `server.csv`. {os.cpu_count()} processors,",
             f"{platform.machine()}, Linux {platform.release().partition('-')[0]}, load average {os.getloadavg()[0]:.1f} at the end.",
             "Medians, in brackets the quartiles over the runs. Latencies are those of one client on the same machine that asks one",
             "after the other; the page cache is warm. On a machine with other work they say little, and the server's own CPU",
             "time more, in steps of 10 ms.", "",
             "`zipf`: 20,000 stacks, the r-th with the share 1/r of the first. `unique`: each sample's stack is drawn among 2^40, and has",
             f"only its roots in common with others. Both of 30 to 90 frames, recordings of a minute with {SAMPLES['zipf']:,} or",
             f"{SAMPLES['unique']:,} samples of 20 threads, in which weights are exact CPU times that vary by {NOISE_BITS:.1f} bits,",
             "which no column can pack. They are sent one after the other; CPU is that of the server's process.", "",
             f"The fleet: {options.hosts} hosts, {options.hours} hours, a recording each {options.minutes} minutes with",
             f"{options.rate:,} samples a minute of 8 threads, `zipf`.", "",
             "| what | goal | zipf | unique |", "|---|---|---|---|"]
    for what, goal, values in goals(results, options):
        lines.append(f"| {what} | {goal} | {values.get('zipf', '')} | {values.get('unique', '')} |")
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=40, help="of recordings of each kind")
    parser.add_argument("--runs", type=int, default=7, help="of each query")
    parser.add_argument("--hosts", type=int, default=10)
    parser.add_argument("--hours", type=int, default=2)
    parser.add_argument("--minutes", type=int, default=10, help="of a recording of the fleet")
    parser.add_argument("--rate", type=int, default=1340, help="samples a minute of one host")
    output_option(parser)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    results = Figures(options.output)
    for kind in KINDS:
        measure_kind(options, results, kind)
    measure_fleet(options, results)
    write_page(options.output / "server.md", results, options)


main()
