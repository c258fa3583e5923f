#!/usr/bin/env python3
"""What a profiler costs a served request: CPU per request and response times of Tomcat with none, candor, async-profiler, JFR.

usage: script/bench profiler-tax [--rate N] [--rounds N] [--seconds N] [--interval-us N] [--jdk N] [--output FOLDER]

A Tomcat serves the example pages of its distribution (script/tomcat.sh) to an open schedule of `candor load`, which leaves it idle
most of the time. Each family of tools has a separate Tomcat, because async-profiler keeps SIGTRAP when it has stopped; the others are
idle meanwhile. In each round every tool records one stretch, in an order that changes, and "none" is measured twice in each Tomcat:
the second measurement shows how large a difference by chance is. CPU is the server process's own; response times count from when a
request was due.

Raw data go to OUTPUT/profiler-tax.csv, medians and spread to OUTPUT/profiler-tax.md (default: docs/benchmarks).
"""
import argparse
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "overhead"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import tools
from results import Results, output_option
from tomcat import Tomcat, loaded
from tools import ct

BASELINE, AGAIN = "none", "none again"
WARM_UP = 25  # seconds at full speed
LEAD = 3  # seconds between the start of a tool and the measurement
PERCENTILES = ("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")
FIELDS = ("round", "family", "tool", "requests", "errors", "cpu_us_per_request", *PERCENTILES, "samples")


def load(tomcat, seconds, *pace):
    return loaded(tomcat.load(seconds, *pace))


def measure(tomcat, tool, options):
    path = ct.WORK / "tax.jfr"
    tool.start(tomcat, path)
    pace = ("-r", options.rate, "-c", 50)
    load(tomcat, LEAD, *pace)  # the cost of starting is not a cost of requests
    before = tools.process_cpu_ns(tomcat.pid)
    answer = load(tomcat, options.seconds, *pace)
    used = tools.process_cpu_ns(tomcat.pid) - before
    tool.stop(tomcat, path)
    return {"tool": tool.name, "requests": answer["completed"], "errors": answer["errors"],
            "cpu_us_per_request": round(used / 1000 / answer["completed"], 2),
            **{name: answer["response"][name] for name in PERCENTILES},
            "samples": tool.count(path)[0] if hasattr(tool, "count") else ""}


def families(interval_us):
    """Name to tools."""
    every = [tool for tool in tools.all_tools(interval_us) if tool.name != "candor signal"]
    return {name: [tools.Nothing(BASELINE), tools.Nothing(AGAIN), *(tool for tool in every if tool.name.startswith(name))]
            for name in ("candor", "async-profiler", "JFR")}


def turned(values, number):
    number %= len(values)
    return values[number:] + values[:number]


def rounds(options):
    servers = {}
    try:
        for name in (compared := families(options.interval_us)):
            servers[name] = Tomcat(ct.jdk(options.jdk), name)
            load(servers[name], WARM_UP, "--mode", "throughput", "-c", 8)
        for number in range(options.rounds):
            for name in turned(list(servers), number):
                for tool in turned(compared[name], number):
                    yield {"round": number, "family": name, **measure(servers[name], tool, options)}
    finally:
        for server in servers.values():
            server.end()


def ratios(rows, tool, field):
    """The ratio to "none" in the same round and the same Tomcat."""
    base = {(row["round"], row["family"]): row[field] for row in rows if row["tool"] == BASELINE}
    return [row[field] / base[row["round"], row["family"]] for row in rows if row["tool"] == tool]


def spread(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def write_page(path, results, options):
    rows = results.rows
    lines = ["# What a request pays for a profiler", "",
             f"{results.origin()}, Tomcat 10's example pages on JDK {options.jdk},",
             f"{options.rate} requests a second from the same machine, each tool every {options.interval_us} us of CPU,",
             f"{options.rounds} rounds of {options.seconds} s. Ratios are to none of the same round and server: the median, in brackets",
             "least and most. `none again` is the same measurement once more: what differs less than it is not seen.", "",
             "| tool | CPU per request | p50 | p99 | CPU, us | p50, ms | p90, ms | p99, ms | p99.9, ms | max, ms | errors |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for tool in dict.fromkeys(row["tool"] for row in rows):
        own = [row for row in rows if row["tool"] == tool]
        cells = [spread(ratios(rows, tool, field)) for field in ("cpu_us_per_request", "p50_ns", "p99_ns")]
        cells.append(f"{statistics.median(row['cpu_us_per_request'] for row in own):.0f}")
        cells += [f"{statistics.median(row[field] for row in own) / 1e6:.2f}" for field in PERCENTILES]
        lines.append(f"| {tool} | {' | '.join(cells)} | {sum(row['errors'] for row in own)} |")
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench profiler-tax")
    parser.add_argument("--rate", type=int, default=1500, help="requests a second")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--interval-us", type=int, default=10000)
    parser.add_argument("--jdk", type=int, default=25)
    output_option(parser)
    options = parser.parse_args()
    results = Results(options.output / "profiler-tax.csv", FIELDS)
    for row in rounds(options):
        print(*(f"{key}={value}" for key, value in results.add(**row).items()), flush=True)
    write_page(options.output / "profiler-tax.md", results, options)


main()
