#!/usr/bin/env python3
"""What Pyroscope's query API over Connect costs beside candor server's own: the same question in both, by turns.

usage: script/bench connect [--hours N] [--samples N] [--runs N] [--output FOLDER]

Recordings of a minute of ten hosts (bench/server/recordings.c, Zipf) fill a server. Each question is asked of both APIs, by turns, so other
work on the machine disturbs both alike; the page has the medians and the ratio of the medians, for the time and for the server's CPU time.
`/v1/services` is the server's own counterpart of the calls that list types and labels. Diff and SelectHeatmap have none: a difference is
two flame graphs. Raw data go to OUTPUT/connect.csv, the page to OUTPUT/connect.md.
"""
import argparse
import json
import pathlib
import statistics
import struct
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import candortest as ct
from results import Results, output_option
from server_costs import START, cpu_seconds, make, send, settle
from servers import Server

FIELDS = ("question", "api", "run", "ms", "cpu_ms", "bytes")
CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
HOSTS, GOAL = 10, 1.2
APIS = ("own", "json", "proto")


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes((*out, n))


def pb(*fields):
    """A message of protocol buffers: (number, text, number of a varint, or a double)."""
    out = b""
    for number, value in fields:
        if isinstance(value, float):
            out += varint(number << 3 | 1) + struct.pack("<d", value)
        elif isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            out += varint(number << 3 | 2) + varint(len(value.encode())) + value.encode()
    return out


def questions(options):
    """question -> api -> (method, path, body, headers, parameters)"""
    start, end, step = START, START + options.hours * 3600, 60
    own = {"select": 'service="shop"', "from": start, "to": end, "max_nodes": 8192}  # Connect's default
    selector = '{service_name="shop"}'
    out = {}

    def ask(name, path, call, message, fields, **more):
        address = f"/querier.v1.QuerierService/{call}"
        out[name] = {"own": ("GET", path, None, {}, {**own, **more}),
                     "json": ("POST", address, json.dumps(message).encode(), {"Content-Type": "application/json"}, {}),
                     "proto": ("POST", address, pb(*fields), {"Content-Type": "application/proto"}, {})}

    times = {"profileTypeID": CPU, "labelSelector": selector, "start": 1000 * start, "end": 1000 * end}
    ask("flame graph", "/v1/flamegraph", "SelectMergeStacktraces", times,
        ((1, CPU), (2, selector), (3, 1000 * start), (4, 1000 * end)))
    ask("pprof", "/v1/profile", "SelectMergeProfile", times, ((1, CPU), (2, selector), (3, 1000 * start), (4, 1000 * end)), format="pprof")
    period = {"start": 1000 * start, "end": 1000 * end}
    of_period = ((1, 1000 * start), (2, 1000 * end))
    ask("types", "/v1/services", "ProfileTypes", period, of_period)
    ask("values of a label", "/v1/services", "LabelValues", {**period, "name": "host", "matchers": [selector]},
        ((1, "host"), (2, selector), (3, 1000 * start), (4, 1000 * end)))
    ask("label sets", "/v1/services", "Series", {**period, "matchers": [selector], "labelNames": ["host", "version"]},
        ((1, selector), (2, "host"), (2, "version"), (3, 1000 * start), (4, 1000 * end)))
    for label, own_label in (("", ""), ("host", "host")):
        by = {"by": own_label} if own_label else {}
        fields = ((1, CPU), (2, selector), (3, 1000 * start), (4, 1000 * end), *(((5, label),) if label else ()), (6, float(step)))
        ask(f"series by {label}" if label else "series", "/v1/series", "SelectSeries",
            {**times, "step": step, "groupBy": [label] if label else []}, fields, step=step, **by)
    return out


def measure(server, results, options):
    for run in range(-1, options.runs):  # the first fills caches
        for question, apis in questions(options).items():
            for api, (method, path, body, headers, parameters) in apis.items():
                before, began = cpu_seconds(server), time.monotonic()
                status, _, content = server.request(method, path, body, headers, **parameters)
                seconds, used = time.monotonic() - began, cpu_seconds(server) - before
                if status != 200:
                    sys.exit(f"connect: {path}: {status} {content[:300]}")
                if run >= 0:
                    results.add(question=question, api=api, run=run, ms=round(1000 * seconds, 3), cpu_ms=round(1000 * used, 3),
                                bytes=len(content))


def median(results, question, api, what):
    return statistics.median(row[what] for row in results.rows if (row["question"], row["api"]) == (question, api))


def page(results, options):
    lines = ["# Connect beside the server's own API, measured", "",
             f"{results.origin()}. Hours: {options.hours}, of {HOSTS} hosts,",
             f"{options.samples} samples a minute each. Each question was asked {options.runs} times of each API, by turns: medians of the",
             f"time, of the server's CPU time, and of the answer's size. The goal is a ratio of at most {GOAL}.", "",
             results.load(), "",
             "| question | API | time | ratio | CPU | ratio | bytes |", "|---|---|---|---|---|---|---|"]
    for question in questions(options):
        own = [median(results, question, "own", what) for what in ("ms", "cpu_ms")]
        for api in APIS:
            ms, cpu, size = (median(results, question, api, what) for what in ("ms", "cpu_ms", "bytes"))
            lines.append(f"| {question} | {'own' if api == 'own' else f'Connect, {api}'} | {ms:.2f} ms | {ms / own[0]:.2f} | {cpu:.2f} ms "
                         f"| {cpu / own[1]:.2f} | {size:,.0f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hours", type=int, default=2)
    parser.add_argument("--samples", type=int, default=1000, help="in a recording of a minute")
    parser.add_argument("--runs", type=int, default=25)
    output_option(parser)
    options = parser.parse_args()
    server = Server("connect", "--analyze-cpu", "0")
    for host in range(HOSTS):
        files = make(ct.WORK / "made", 60 * options.hours, options.samples, 60, START, 20000, seed=host)
        send(server, files, service="shop", host=f"web-{host}", version="1")
    settle(server)
    results = Results(options.output / "connect.csv", FIELDS)
    measure(server, results, options)
    text = page(results, options)
    (options.output / "connect.md").write_text(text)
    print(text)
    server.end()


main()
