#!/usr/bin/env python3
"""candor load compared with other tools: how late it sends, the CPU time per request, and what it reports about a server that stands
still.

usage: script/bench load [PART...] [--rounds N] [--seconds N] [--output FOLDER]

lateness   of the schedule, by sleeping and with --spin, compared with a bare timerfd loop (bench/load/pace.c), in turns
mock       without a server: requests in a second of CPU time, and lateness at 50,000/s
cpu        of the client per request, in a closed loop at full speed, compared with wrk's, in turns
knee       --find-rate with a mock whose highest rate is known: a hundred searches at once
freeze     a server that is stopped for a second: an open schedule, a closed loop, and wrk

The server is bench/load/responder.c. Raw data go to OUTPUT/load.csv, medians to OUTPUT/load.md (default: docs/benchmarks).
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "lib"))
from results import Results, output_option

BUILD = pathlib.Path(os.environ.get("CANDOR_BUILD", "build")).resolve()
SEARCHES = 100
FIELDS = ("part", "contender", "round", "measure", "value")
UNITS = {"us": 1e-3, "ms": 1, "s": 1e3}  # times of wrk, in ms


def run(*command):
    """(standard output, CPU seconds)"""
    before = os.times()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    after = os.times()
    return done.stdout, after.children_user + after.children_system - before.children_user - before.children_system


def load(options, *arguments):
    return json.loads(run(BUILD / "candor", "load", "--json", "-q", "-d", f"{options.seconds}s", *arguments)[0])


def lateness(options, url, _):
    for number in range(options.rounds):
        for rate in (1000, 10000):
            bare = run(BUILD / "bench" / "load" / "pace", rate, options.seconds)[0].split()
            slept = load(options, "-r", rate, "-c", 50, url)["generator_lateness"]
            spun = load(options, "-r", rate, "-c", 50, "--spin", url)["generator_lateness"]
            for name, p50, p99 in (("timerfd", int(bare[0]), int(bare[1])), ("candor", slept["p50_ns"], slept["p99_ns"]),
                                   ("candor --spin", spun["p50_ns"], spun["p99_ns"])):
                yield name, number, f"p50 at {rate}/s", p50 / 1000
                yield name, number, f"p99 at {rate}/s", p99 / 1000


def mock(options, *_):
    """Without a server: what the generator itself does in a processor's time, and how late it is at 50,000/s."""
    for number in range(options.rounds):
        busy = load(options, "--mock", "delay=0", "--mode", "throughput", "-c", 10)
        yield "candor", number, "requests per s of CPU time, in 1,000", 1e6 / busy["cpu_ns_per_request"]
        bare = run(BUILD / "bench" / "load" / "pace", 50000, options.seconds)[0].split()
        scheduled = load(options, "--mock", "delay=0", "-r", 50000)
        for name, p50, p99 in (("timerfd", int(bare[0]), int(bare[1])),
                               ("candor", scheduled["generator_lateness"]["p50_ns"], scheduled["generator_lateness"]["p99_ns"])):
            yield name, number, "lateness p50 at 50,000/s, us", p50 / 1000
            yield name, number, "lateness p99 at 50,000/s, us", p99 / 1000


def knee(options, *_):
    """A hundred searches in real time. Each connection of the mock does one request in 40 ms, so the highest rate is 25 a second for each
    of them. The limit is 60 ms, so in a run of --seconds the queue may grow by 20 ms: the rate that is searched for is a little higher."""
    delay, limit, connections = 0.04, 0.06, 10
    highest = connections / delay / (1 - (limit - delay) / (0.99 * options.seconds))
    command = [BUILD / "candor", "load", "--json", "-q", "-d", f"{options.seconds}s", "-c", str(connections), "--mock",
               f"delay={delay * 1000:.0f}ms", "--find-rate", f"p99<{limit * 1000:.0f}ms"]
    searches = [subprocess.Popen([*command, "-r", str(20 + 13 * number)], stdout=subprocess.PIPE, text=True) for number in range(SEARCHES)]
    for number, search in enumerate(searches):
        found = json.loads(search.communicate()[0])
        yield "candor", number, "found, divided by the mock's highest rate", (found["holds_per_second"] or 0) / highest


def wrk(options, url):
    text, seconds = run("wrk", "-t1", "-c10", f"-d{options.seconds}s", "--latency", url)
    requests = int(text.split(" requests in ")[0].split()[-1])
    times = {percent: float(number) * UNITS[unit] for percent, number, unit in re.findall(r"(50|90|99)%\s+([\d.]+)(us|ms|s)", text)}
    most = re.search(r"Latency\s+\S+\s+\S+\s+([\d.]+)(us|ms|s)", text)
    return requests, seconds, times, float(most[1]) * UNITS[most[2]]


def cpu(options, url, _):
    for number in range(options.rounds):
        requests, seconds, *_ = wrk(options, url)
        ours = load(options, "--mode", "throughput", "-c", 10, url)
        for name, count, per in (("wrk", requests, seconds / requests * 1e9), ("candor", ours["completed"], ours["cpu_ns_per_request"])):
            yield name, number, "requests per s", count / options.seconds
            yield name, number, "CPU per request", per


def stopped(server, options):
    """Stops the server for a second in the middle of the block."""
    def stop():
        time.sleep(options.seconds / 2)
        server.send_signal(signal.SIGSTOP)
        time.sleep(1)
        server.send_signal(signal.SIGCONT)
    thread = threading.Thread(target=stop)
    thread.start()
    return thread


def freeze(options, url, server):
    def figures(times):
        return {50: times["p50_ns"] / 1e6, 90: times["p90_ns"] / 1e6, 99: times["p99_ns"] / 1e6, "max": times["max_ns"] / 1e6}

    def others():
        _, _, times, most = wrk(options, url)
        return {**times, "max": most}

    contenders = {"candor, open schedule of 1,000/s": lambda: figures(load(options, "-r", 1000, "-c", 10, url)["response"]),
                  "candor, closed loop": lambda: figures(load(options, "--mode", "throughput", "-c", 10, url)["service"]),
                  "wrk, closed loop": others}
    for number in range(options.rounds):
        for name, one in contenders.items():
            thread = stopped(server, options)
            values = one()
            thread.join()
            for percent, value in values.items():
                yield name, number, f"p{percent}" if percent != "max" else percent, value


PARTS = {"lateness": (lateness, "us"), "mock": (mock, ""), "knee": (knee, ""), "cpu": (cpu, "ns, or requests per s"),
         "freeze": (freeze, "ms")}
READING = {
    "lateness": "How long after it was due a request is sent, beside what the kernel's timer itself is late:",
    "mock": "The generator with a mock that answers at once: how many requests it makes in a second of CPU time in a closed loop with ten\n"
            "connections, and how late it sends at 50,000/s, beside the bare timer:",
    "knee": "--find-rate with a mock whose highest rate is known, in real time, a hundred searches at once:",
    "cpu": "The client's CPU time per request in a closed loop with ten connections:",
    "freeze": "Response times when the server stands still for one second. A closed loop sends nothing then, so that the second is\n"
              "in its maximum alone. wrk adds afterwards what would have been sent at the mean rate of all its connections, which is\n"
              "right for a loop at full speed only:",
}


def table(rows, part):
    values = {}
    for row in rows:
        if row["part"] == part:
            values.setdefault(row["measure"], {}).setdefault(row["contender"], []).append(row["value"])
    names = list(dict.fromkeys(name for cells in values.values() for name in cells))
    yield f"| {PARTS[part][1]} | {' | '.join(names)} |"
    yield f"|---|{'---|' * len(names)}"
    for measure, cells in values.items():
        yield f"| {measure} | {' | '.join(cell(cells.get(name)) for name in names)} |"


def cell(values):
    if not values:
        return ""
    digits = 1 if max(values) >= 5 else 3
    return f"{statistics.median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def near(rows):
    """How many searches are within 2 % of the highest rate."""
    return sum(abs(row["value"] - 1) < 0.02 for row in rows if row["part"] == "knee")


def ratio(rows):
    """The ratio of CPU time per request, round by round."""
    def of(name):
        return [row["value"] for row in rows if row["part"] == "cpu" and row["measure"] == "CPU per request" and row["contender"] == name]
    return [ours / theirs for ours, theirs in zip(of("candor"), of("wrk"))]


def write_page(path, results, options):
    rows = results.rows
    lines = ["# candor load, measured", "",
             f"Made by `script/bench load` on {results.date}, {options.rounds} rounds of {options.seconds} s; raw data in `load.csv`. "
             "The medians, in brackets", "least and most; client and server share two processors."]
    for part in dict.fromkeys(row["part"] for row in rows):
        lines += ["", f"## {part}", "", READING[part], "", *table(rows, part)]
        if part == "knee":
            lines += ["", f"{near(rows)} of {SEARCHES} are within 2 %."]
    if ratios := ratio(rows):
        lines += ["", f"CPU per request, candor to wrk in the same round: {statistics.median(ratios):.2f} "
                  f"({min(ratios):.2f} to {max(ratios):.2f})."]
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench load")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    output_option(parser)
    options = parser.parse_args()
    if not shutil.which("wrk"):
        parser.exit(2, "load: wrk is not installed; run script/bootstrap demo\n")
    results = Results(options.output / "load.csv", FIELDS)
    server = subprocess.Popen([BUILD / "bench" / "load" / "responder"], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/"
        for part in options.parts or PARTS:
            for name, number, what, value in PARTS[part][0](options, url, server):
                row = results.add(**dict(zip(FIELDS, (part, name, number, what, round(value, 3)))))
                print(*row.values(), flush=True)
    finally:
        server.kill()
    write_page(options.output / "load.md", results, options)


main()
