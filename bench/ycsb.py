#!/usr/bin/env python3
"""candor load beside go-ycsb, on the same Redis and with YCSB's workload b.

usage: script/bench ycsb --go-ycsb PROGRAM [PART...] [--rounds N] [--operations N] [--output DIRECTORY]

    cpu     the client's CPU time for an operation in a closed loop with ten connections; rounds are interleaved
    pause   a Redis that is stopped for a second, at 1,000 operations per second: p99 and maximum of both

PROGRAM is built from the sources of its module: go mod download -json github.com/pingcap/go-ycsb@v1.0.3 prints their folder, and
go build ./cmd/go-ycsb in a copy of it builds the program. Raw data go to OUTPUT/ycsb.csv, the page to OUTPUT/ycsb.md.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "lib"))
from results import Results, output_option

BUILD = pathlib.Path(os.environ.get("CANDOR_BUILD", "build")).resolve()
FIELDS = ("part", "contender", "round", "measure", "value")
RECORDS, CONNECTIONS, RATE, SECONDS = 10000, 10, 1000, 10


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(*command):
    """(standard output, CPU seconds)"""
    before = os.times()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    after = os.times()
    return done.stdout, after.children_user + after.children_system - before.children_user - before.children_system


def candor(port, *arguments, operations):
    properties = f"recordcount={RECORDS},operationcount={operations}"
    out, cpu = run(BUILD / "candor", "load", "--json", "-q", "--workload", "b", "--properties", properties, "-c", CONNECTIONS, *arguments,
                   f"redis://127.0.0.1:{port}")
    return json.loads(out), cpu


def go_ycsb(options, port, *, operations, target=0):
    properties = {"redis.addr": f"127.0.0.1:{port}", "recordcount": RECORDS, "operationcount": operations, "threadcount": CONNECTIONS,
                  "target": target, "requestdistribution": "zipfian", "readproportion": 0.95, "updateproportion": 0.05,
                  "scanproportion": 0, "insertproportion": 0, "workload": "core"}
    words = [word for key, value in properties.items() for word in ("-p", f"{key}={value}")]
    out, cpu = run(options.go_ycsb, "run", "redis", *words)
    line = [one for one in out.splitlines() if one.startswith("TOTAL")][-1]
    return {key: float(value) for key, value in re.findall(r"([\w.()]+): ([\d.]+)", line)}, cpu


def cpu_part(options, port, _):
    for number in range(options.rounds):
        figures, seconds = go_ycsb(options, port, operations=options.operations)
        yield "go-ycsb", number, "CPU per operation, us", seconds / figures["Count"] * 1e6
        for name, arguments in (("candor", ()), ("candor --in-flight 16", ("--in-flight", 16))):
            figures, seconds = candor(port, *arguments, operations=options.operations)
            yield name, number, "CPU per operation, us", seconds / figures["completed"] * 1e6


def stopped(pid):
    def stop():
        time.sleep(SECONDS / 2)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(1)
        os.kill(pid, signal.SIGCONT)
    thread = threading.Thread(target=stop)
    thread.start()
    return thread


def pause_part(options, port, pid):
    for number in range(options.rounds):
        thread = stopped(pid)
        figures, _ = candor(port, "-r", RATE, "--drain", "10s", operations=RATE * SECONDS)
        thread.join()
        for view in ("response", "service"):
            yield f"candor, {view} time", number, "p99, ms", figures[view]["p99_ns"] / 1e6
            yield f"candor, {view} time", number, "max, ms", figures[view]["max_ns"] / 1e6
        thread = stopped(pid)
        figures, _ = go_ycsb(options, port, operations=RATE * SECONDS, target=RATE)
        thread.join()
        yield "go-ycsb", number, "p99, ms", figures["99th(us)"] / 1e3
        yield "go-ycsb", number, "max, ms", figures["Max(us)"] / 1e3


PARTS = {"cpu": cpu_part, "pause": pause_part}
READING = {
    "cpu": "The client's CPU time (user and system) for an operation. Both send one request at a time on each of ten connections; with\n"
           "`--in-flight 16`, candor sends up to sixteen. It is CPU time, so other work on the machine changes it little.",
    "pause": f"At {RATE:,} operations per second for {SECONDS} s, the server stands still for one second. A tenth of the operations are "
             f"due in\nthat second, so p99 of what callers wait is {1000 - SECONDS * 10} ms. A loop that waits for answers has one "
             "operation in progress on\neach connection then, so the second is in its maximum alone.",
}


def table(rows, part):
    values = {}
    for row in rows:
        if row["part"] == part:
            values.setdefault(row["contender"], {}).setdefault(row["measure"], []).append(row["value"])
    measures = list(dict.fromkeys(measure for cells in values.values() for measure in cells))
    yield f"| | {' | '.join(measures)} |"
    yield f"|---|{'---|' * len(measures)}"
    for name, cells in values.items():
        yield f"| {name} | {' | '.join(cell(cells[measure]) for measure in measures)} |"


def cell(values):
    return f"{statistics.median(values):,.1f} ({min(values):,.1f} to {max(values):,.1f})"


def ratios(rows, name):
    def of(contender):
        return [row["value"] for row in rows if row["part"] == "cpu" and row["contender"] == contender]
    return [theirs / ours for theirs, ours in zip(of("go-ycsb"), of(name))]


def write_page(path, results, options):
    lines = ["# candor load beside go-ycsb, measured", "",
             f"Made by `script/bench ycsb` on {results.date}, {options.rounds} rounds, go-ycsb 1.0.3, a Redis on the same two processors; "
             "raw data in `ycsb.csv`.",
             "The medians, in brackets least and most. Other work ran on the machine, so the cpu part has no wall-clock times."]
    for part in dict.fromkeys(row["part"] for row in results.rows):
        lines += ["", f"## {part}", "", READING[part], "", *table(results.rows, part)]
        for name in ("candor", "candor --in-flight 16") if part == "cpu" else ():
            found = ratios(results.rows, name)
            lines += ["", f"Operations for the same CPU time, {name} to go-ycsb in the same round: {statistics.median(found):.2f} "
                      f"({min(found):.2f} to {max(found):.2f})."]
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench ycsb")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--go-ycsb", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--operations", type=int, default=100000)
    output_option(parser)
    options = parser.parse_args()
    if not shutil.which("redis-server"):
        parser.exit(2, "ycsb: redis-server is not installed; run script/bootstrap test\n")
    results = Results(options.output / "ycsb.csv", FIELDS)
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        server = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder],
                                  stdout=subprocess.DEVNULL)
        try:
            time.sleep(1)
            run(BUILD / "candor", "load", "-q", "--workload", "b", "--phase", "load", "--properties", f"recordcount={RECORDS}",
                f"redis://127.0.0.1:{port}")
            for part in options.parts or PARTS:
                for name, number, what, value in PARTS[part](options, port, server.pid):
                    print(*results.add(**dict(zip(FIELDS, (part, name, number, what, round(value, 3))))).values(), flush=True)
        finally:
            server.kill()
    write_page(options.output / "ycsb.md", results, options)


main()
