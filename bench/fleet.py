#!/usr/bin/env python3
"""Questions about a day of a hundred hosts, and what ten thousand rules of alerts cost.

usage: script/bench fleet --fill FOLDER [--hosts N] [--hours N] [--period S] [--samples N]     makes the store
       script/bench fleet --store FOLDER [--runs N] [--rules N] [--minutes N] [--output FOLDER]     asks it

Each of the hosts of a service, ten of them, sends a recording of ten minutes after the other (--period). All hosts of a service send the
same samples in one period, which costs the server as much as different ones. --fill takes some five minutes of CPU for a day of a hundred
hosts; --store asks each question RUNS times, by turns, and then lets the server evaluate RULES rules of alerts for so many minutes.

Raw data go to OUTPUT/fleet.csv, the results beside the goals to OUTPUT/fleet.md (default: docs/benchmarks).
"""
import argparse
import os
import pathlib
import platform
import shutil
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import candortest as ct
from results import Results, output_option
from server_costs import DAY, catalogue, cpu_seconds, make, settle
from servers import Server

HOUR, HOSTS_OF_SERVICE, STACKS, SEEDS = 3600, 10, 20000, 5
FIELDS = ("what", "value", "unit", "run")
METRICS, SEARCH, FUNCTIONS, RULES = 50, 200, 1000, 2  # goals: ms, ms, ms, percent of a core


def questions():
    one, metrics = {"select": 'service="shop-0"'}, {"metric": "cpu,failed_share,truncated_share", "step": "1h"}
    return (
        ("key metrics of a service's day, by host", METRICS, "/v1/metrics", {**one, **metrics, "by": "host"}),
        ("key metrics of the fleet's day, by service", METRICS, "/v1/metrics", {**metrics, "by": "service"}),
        ("search: the fleet's twenty worst minutes", SEARCH, "/v1/search", {"where": "cpu > 0", "order": "cpu", "limit": 20}),
        ("search: minutes of a service with a condition", SEARCH, "/v1/search", {**one, "where": "cpu > 0.01", "order": "cpu"}),
        ("function by its beginning, in the fleet's day", FUNCTIONS, "/v1/functions", {"match": "com.example.part1.*"}),
        ("function by a part of its name, by version", FUNCTIONS, "/v1/functions", {"match": "Request77", "by": "version"}),
        ("function by a pattern, by host", FUNCTIONS, "/v1/functions", {"match": "/Component[0-9]*7\\.handle/", "by": "host"}),
    )


# -- the store -------------------------------------------------------------------------------------------------------

def state_file(store):
    """Beside the store: the second at which its recordings begin, the seconds that each takes, and how many hours are sent."""
    return store.with_suffix(".state")


def state_of(store):
    return map(int, state_file(store).read_text().split())


def fill_hour(server, options, begin, hour):
    """Sends the recordings of an hour in the order of time. Those that the server already has count once."""
    files = [make(ct.WORK / f"made-{seed}", HOUR // options.period, options.samples, options.period, begin + hour * HOUR, STACKS,
                  seed=seed + 10 * hour) for seed in range(SEEDS)]
    for period in range(HOUR // options.period):
        for host in range(options.hosts):
            status, answer = server.send(files[host % SEEDS][period].read_bytes(), service=f"shop-{host // HOSTS_OF_SERVICE}",
                                         host=f"web-{host}", version=str(1 + host % 2))
            if status != 200:
                sys.exit(f"fleet: a recording is not taken: {answer}")


def fill(options):
    begin, sent = int(time.time()) // HOUR * HOUR - options.hours * HOUR, 0
    if state_file(options.fill).exists():
        begin, options.period, sent = state_of(options.fill)
    server = Server(options.fill.resolve(), "--analyze-cpu", "0", "--max-recordings", "2G", "--max-disk", "60G")
    for hour in range(sent, min(options.hours, sent + options.at_once)):
        fill_hour(server, options, begin, hour)
        state_file(options.fill).write_text(f"{begin} {options.period} {hour + 1}\n")
        print(f"hour {hour}", file=sys.stderr, flush=True)
    if sent + options.at_once >= options.hours:
        settle(server)
    server.end()


# -- questions -------------------------------------------------------------------------------------------------------

def ask(server, results, options):
    day = {"from": options.begin, "to": options.begin + options.hours * HOUR}
    for run in range(-1, options.runs):  # the first time fills caches
        for name, _, path, selection in questions():
            before, began = cpu_seconds(server), time.monotonic()
            status, _, content = server.request("GET", path, **day, **selection)
            seconds, used = time.monotonic() - began, cpu_seconds(server) - before
            if status != 200 or b'"missing_text":"' in content:  # a list that is cut is not complete either
                sys.exit(f"fleet: {path}: {status} {content[:300]}")
            if run >= 0:
                results.add(what=name, value=round(1000 * seconds, 3), unit="ms", run=run)
                results.add(what=f"{name}, CPU", value=round(1000 * used, 3), unit="ms", run=run)


# -- rules -----------------------------------------------------------------------------------------------------------

def rule(i, options, delay):
    """Rules as people write them: most are about methods of a service, some about its cores, or about a host's metrics."""
    service, host = i % (options.hosts // HOSTS_OF_SERVICE), i % options.hosts
    kinds = ([f'select = service="shop-{service}"', "value = total", f"method = ^com\\.example\\.part{i % 37}\\.Component", "above = 30%"],
             [f'select = service="shop-{service}"', "value = self", f"method = handleRequest{i % 5000}$", "above = 30%"],
             [f'select = service="shop-{service}"', "value = cores", f"above = {100 + i}"],
             [f'select = host="web-{host}"', "value = cpu", f"above = {100 + i}"])
    return "\n".join([f"[alert rule-{i}]", *kinds[i % len(kinds)], "window = 5m", "interval = 1m", f"delay = {delay}s", ""])


def measure_rules(results, options):
    """Nothing is sent any more, so the rules look at the stored day from a distance: their delay is what has passed since its middle."""
    path, delay = ct.WORK / "alerts.conf", int(time.time()) - (options.begin + options.hours * HOUR // 2)
    path.write_text("\n".join(rule(i, options, delay) for i in range(options.rules)))
    server = Server("store", "--analyze-cpu", "0", "--alerts", path)
    counts = server.metrics
    while counts()["candor_server_alert_evaluations_total"] < options.rules:
        time.sleep(1)
    before, used, began = counts(), cpu_seconds(server), time.monotonic()
    time.sleep(60 * options.minutes)
    used, seconds, after = cpu_seconds(server) - used, time.monotonic() - began, counts()
    done = {name: after[f"candor_server_alert_{name}_total"] - before[f"candor_server_alert_{name}_total"]
            for name in ("evaluations", "evaluations_failed", "reads")}
    if done["evaluations_failed"] or not done["evaluations"]:
        sys.exit(f"fleet: evaluations: {done}")
    server.end()
    results.add(what="rules", value=options.rules, unit="", run=0)
    results.add(what="evaluations a minute", value=round(60 * done["evaluations"] / seconds, 1), unit="", run=0)
    results.add(what="windows read a minute", value=round(60 * done["reads"] / seconds, 1), unit="", run=0)
    results.add(what="CPU of rules", value=round(100 * used / seconds, 3), unit="% of a core", run=0)


# -- the page --------------------------------------------------------------------------------------------------------

def of(results, what):
    return [row["value"] for row in results.rows if row["what"] == what]


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def write_page(path, results, options):
    lines = ["# Questions about a fleet, measured", "",
             f"Made by `script/bench fleet` on {results.date}; raw data in `fleet.csv`. {os.cpu_count()} processors,",
             f"{platform.machine()}, Linux {platform.release().partition('-')[0]}. One client on the same machine asks one question after",
             f"the other, {options.runs} times by turns, for the whole day; the page cache is warm.", "",
             f"{options.hosts} JVMs in services of {HOSTS_OF_SERVICE}, {options.hours} h, a recording each {options.period // 60} minutes:",
             f"{of(results, 'recordings')[0]:,.0f} recordings, {of(results, 'rows')[0] / 1e6:.3g} million rows. Stacks are Zipf among",
             f"{STACKS:,}.", "", results.load(), "",
             "| question | goal, p95 | median | p95 | CPU, median |", "|---|---|---|---|---|"]
    for name, goal, _, _ in questions():
        times, used = of(results, name), of(results, f"{name}, CPU")
        lines.append(f"| {name} | {goal} ms | {percentile(times, 0.5):.1f} ms | {percentile(times, 0.95):.1f} ms | "
                     f"{percentile(used, 0.5):.1f} ms |")
    if of(results, "rules"):
        lines += ["", f"{of(results, 'rules')[0]:,} rules of alerts, each evaluated once a minute for a window of five minutes: half are",
                  "about methods of a service, with a pattern each, a quarter about its cores, a quarter about the CPU time of a host.", "",
                  "| rules | goal | measured |", "|---|---|---|",
                  f"| evaluations a minute | | {of(results, 'evaluations a minute')[0]:,.0f} |",
                  f"| windows read from the store, a minute | | {of(results, 'windows read a minute')[0]:,.0f} |",
                  f"| CPU of the server's process | {RULES} % of a core | {of(results, 'CPU of rules')[0]:.2f} % |"]
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench fleet")
    parser.add_argument("--fill", type=pathlib.Path)
    parser.add_argument("--store", type=pathlib.Path)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--hours", type=int, default=DAY // HOUR)
    parser.add_argument("--at-once", type=int, default=DAY // HOUR, help="end --fill after so many hours; the next call goes on")
    parser.add_argument("--period", type=int, default=600, help="seconds of a recording; a part of an hour")
    parser.add_argument("--samples", type=int, default=600, help="in a recording")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--rules", type=int, default=10000)
    parser.add_argument("--minutes", type=float, default=3, help="how long rules are evaluated")
    output_option(parser)
    options = parser.parse_args()
    if options.fill:
        return fill(options)
    options.begin, options.period, _ = state_of(options.store)
    shutil.copytree(options.store, ct.WORK / "store")
    results = Results(options.output / "fleet.csv", FIELDS)
    server = Server("store", "--analyze-cpu", "0")
    results.add(what="recordings", value=server.metrics()["candor_server_store_recordings"], unit="", run=0)
    results.add(what="rows", value=catalogue(server)[0], unit="", run=0)
    ask(server, results, options)
    server.end()
    if options.rules:
        measure_rules(results, options)
    return write_page(options.output / "fleet.md", results, options)


main()
