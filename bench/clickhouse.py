#!/usr/bin/env python3
"""A server with its rows in ClickHouse, beside one with files: the same recordings, bytes per row, CPU time of taking them, and of queries.

usage: bench/clickhouse.py [--hosts N] [--minutes N] [--samples N] [--current]
                           [--output FOLDER]

Recordings are those of bench/server/recordings.c, with 20,000 stacks of which few have most samples. ClickHouse is what script/clickhouse
fetches: the distribution's server, and, with --current, today's engine. Figures are bytes and CPU time, so that a busy machine matters
little. The page goes to OUTPUT/clickhouse.md (default: docs/benchmarks).
"""
import argparse
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "lib"), str(ROOT / "bench" / "lib")]
import candortest as ct
import clickhouse
from results import output_option
from server_costs import START, catalogue, cpu_seconds, make, send, settle
from servers import Server

QUERIES = {"flame graph": ("/v1/flamegraph", {}), "methods": ("/v1/methods", {}), "series by host": ("/v1/series", {"by": "host"})}
RUNS = 3


class Process:
    """What cpu_seconds wants of a server."""

    def __init__(self, process):
        self.process = process


def ask(server, engine, hour):
    """{query: (CPU ms of the server, of the engine)}, and the answers."""
    figures, answers = {}, []
    for name, (path, more) in QUERIES.items():
        runs = []
        for _ in range(RUNS):
            before = cpu_seconds(server), cpu_seconds(engine) if engine else 0
            status, _, content = server.request("GET", path, **hour, **more)
            runs.append((cpu_seconds(server) - before[0], (cpu_seconds(engine) if engine else 0) - before[1]))
            if status != 200:
                sys.exit(f"clickhouse: {path}: {status} {content[:300]}")
        answers.append(server.total(**hour))
        figures[name] = tuple(1000 * statistics.median(run[i] for run in runs) for i in (0, 1))
    return figures, answers


def measure(options, name, files, more=(), engine=None):
    server = Server(name, *more)
    watched = Process(engine.process) if engine else None
    before = cpu_seconds(server), cpu_seconds(watched) if watched else 0
    for host, list_of_one in enumerate(files):
        send(server, list_of_one, service="shop", host=f"host-{host}")
    settle(server)
    spent = cpu_seconds(server) - before[0], (cpu_seconds(watched) if watched else 0) - before[1]
    rows, _, size, _, _ = catalogue(server)
    if engine:
        engine.ask("OPTIMIZE TABLE candor_rows FINAL")
        size = int(engine.ask("SELECT sum(bytes) FROM system.parts WHERE active AND table = 'candor_rows'"))
    queries, answers = ask(server, watched, {"from": START, "to": START + 60 * options.minutes})
    server.end()
    return {"rows": rows, "bytes": size / rows, "cpu": spent, "queries": queries, "answers": answers}


def row(what, cells):
    return f"| {what} | " + " | ".join(cells) + " |"


def write_page(path, options, measured):
    figures = list(measured.values())
    taking = [f"{1e6 * one['cpu'][0] / one['rows']:.1f} + {1e6 * one['cpu'][1] / one['rows']:.1f}" for one in figures]
    lines = ["# Rows in ClickHouse", "",
             f"`bench/clickhouse.py`, {time.strftime('%Y-%m-%d')}: {options.hosts} hosts, {options.minutes} minutes,",
             f"{options.samples} samples in a recording of a minute, {figures[0]['rows']} rows.",
             "CPU time is that of candor server plus that of ClickHouse, on",
             "a machine that did other work; the median of three for queries. Parts of ClickHouse are merged.", "",
             row("", measured), "|---|" + "---|" * len(measured), row("bytes per row", [f"{one['bytes']:.2f}" for one in figures]),
             row("taking recordings, CPU us per row", taking)]
    for name in QUERIES:
        lines.append(row(f"{name}, CPU ms", [f"{one['queries'][name][0]:.0f} + {one['queries'][name][1]:.0f}" for one in figures]))
    same = len({str(one["answers"]) for one in figures}) == 1
    lines += ["", "All gave the same totals." if same else "THE TOTALS DIFFER.", ""]
    (path / "clickhouse.md").write_text("\n".join(lines))
    if not same:
        sys.exit("clickhouse: the totals differ")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", type=int, default=10)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--current", action="store_true", help="also with today's engine")
    output_option(parser)
    options = parser.parse_args()
    files = [make(ct.WORK / f"made-{host}", options.minutes, options.samples, 60, START, 20000, seed=host) for host in range(options.hosts)]
    measured = {"files": measure(options, "files", files)}
    for kind in (clickhouse.Debian, clickhouse.Current) if options.current else (clickhouse.Debian,):
        if kind.missing():
            sys.exit(f"clickhouse: {kind.missing()}")
        engine = kind(kind.__name__.lower())
        measured[f"ClickHouse {engine.ask('SELECT version()').strip()}"] = measure(options, f"away-{kind.__name__.lower()}", files,
                                                                                 engine.options, engine)
        engine.stop()
    write_page(pathlib.Path(options.output), options, measured)


main()
