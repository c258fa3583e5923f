"""A fleet as it is, for script/bench server: JVMs of several services, each sending a recording of six kinds a minute.

1. All recordings are sent in the order of time, by one client. Meanwhile no roll-ups are made, because the day is over already and they
   would be made again and again; a real fleet sends each hour once.
2. The server starts again and makes the roll-ups, after which it answers: for a service's hour and day, for the fleet's day, for series and
   top lists.
3. Ten times as many other services send as many recordings of a few samples, and it answers again.
4. It answers once more while it receives recordings, at half of the rate that one processor can take.

The recordings themselves are deleted early, as --max-recordings says, because they take ten times as much as everything else.
"""
import pathlib
import sqlite3
import sys
import threading
import time

import candortest as ct
from server_costs import DAY, START, cpu_seconds, make, memory_mb, restart, send, settle, size_of
from servers import Server

HOSTS_OF_SERVICE = 10
OTHER_SAMPLES = 10  # of each kind in a recording of another service
QUIET = ("--analyze-cpu", "0", "--max-disk", "60G", "--max-recordings", "8G")
PARTS = ("fleet", "with other services", "while receiving")
GOALS = {"flame graph, a service's hour": 100, "flame graph, a service's day": 300, "flame graph, the fleet's day": 1000,
         "methods, a service's hour": 100, "methods, a service's day": 300, "methods, the fleet's day": 1000,
         "series of a service's day by host": 50, "series of the fleet's day by service": 50, "top list of the fleet's day": 50}


def queries(options):
    hour, hours = START + options.hours // 2 * 3600, {"from": START, "to": START + options.hours * 3600}
    one, its_hour = {"select": 'service="shop-0"'}, {"from": hour, "to": hour + 3600}
    fleet = {"select": 'service=~"shop-.*"'}
    return {"flame graph, a service's hour": ("/v1/flamegraph", {**one, **its_hour}),
            "flame graph, a service's day": ("/v1/flamegraph", {**one, **hours}),
            "flame graph, the fleet's day": ("/v1/flamegraph", {**fleet, **hours}),
            "methods, a service's hour": ("/v1/methods", {**one, **its_hour}),
            "methods, a service's day": ("/v1/methods", {**one, **hours}),
            "methods, the fleet's day": ("/v1/methods", {**fleet, **hours}),
            "series of a service's day by host": ("/v1/series", {**one, **hours, "step": 3600, "by": "host"}),
            "series of the fleet's day by service": ("/v1/series", {**fleet, **hours, "step": 3600, "by": "service"}),
            "top list of the fleet's day": ("/v1/top", {**fleet, **hours})}


def ask(server, results, options, part):
    """Each query several times, by turns: then a machine with other work disturbs all alike."""
    for run in range(-1, options.runs):  # the first time fills caches
        for name, (path, selection) in queries(options).items():
            before, began = cpu_seconds(server), time.monotonic()
            status, _, content = server.request("GET", path, **selection)
            seconds, used = time.monotonic() - began, cpu_seconds(server) - before
            if status != 200 or b'"complete":true' not in content:
                sys.exit(f"server: {path}: {status} {content[:300]}")
            if run >= 0:
                results.add(part, "zipf", name, 1000 * seconds, "ms", run)
                results.add(part, "zipf", f"{name}, CPU", 1000 * used, "ms", run)


def make_hour(options, name, hour, hosts, samples, seed):
    """An hour of recordings of these hosts, as (file, labels), in the order of time."""
    made = [make(ct.WORK / "made" / f"{name}-{host}", 60, samples, 60, START + 3600 * hour, options.stacks, seed=seed + host * 1000 + hour,
                 kinds="all") for host in range(hosts)]
    return [(made[host][minute], {"service": f"{name}-{host // HOSTS_OF_SERVICE}", "host": f"{name}-{host}", "version": "1"})
            for minute in range(60) for host in range(hosts)]


def send_all(server, results, options, name, hosts, samples, seed, part):
    """Sends the recordings of all hours. Returns the CPU seconds of one."""
    total = {"bytes": 0, "recordings": 0, "CPU": 0}
    for hour in range(options.hours):
        files = make_hour(options, name, hour, hosts, samples, seed)
        before = cpu_seconds(server)
        total["bytes"] += sum(send(server, [file], **labels)[0] for file, labels in files)
        total["recordings"] += len(files)
        total["CPU"] += cpu_seconds(server) - before
        for file, _ in files:
            file.unlink()
    results.add(part, "zipf", "MB/s of a core", total["bytes"] / 1e6 / total["CPU"], "MB/s")
    results.add(part, "zipf", "recordings/s of a core", total["recordings"] / total["CPU"], "1/s")
    results.add(part, "zipf", "bytes of a recording", total["bytes"] / total["recordings"], "B")
    return total["CPU"] / total["recordings"]


def wait_for_rollups(server):
    while True:
        with sqlite3.connect(f"file:{server.data}/catalogue.db?mode=ro", uri=True) as base:
            if not base.execute("SELECT count(*) FROM rollup WHERE until < 86400 OR stale").fetchone()[0]:
                return
        time.sleep(2)


def count_files(server, results):
    files = sum(1 for file in pathlib.Path(server.data).rglob("*") if file.is_file() and file.suffix in (".seg", ".roll", ""))
    raw = sum(1 for file in (pathlib.Path(server.data) / "recordings").rglob("*") if file.is_file())
    with sqlite3.connect(f"file:{server.data}/catalogue.db?mode=ro", uri=True) as base:
        recordings, rollups = base.execute("SELECT (SELECT count(*) FROM recording), (SELECT sum(bytes) FROM rollup_file)").fetchone()
    results.add("fleet", "zipf", "recordings", recordings, "")
    results.add("fleet", "zipf", "files per 100 recordings, without these", 100 * (files - raw) / recordings, "")
    results.add("fleet", "zipf", "bytes of roll-ups", rollups, "B")


class Sending(threading.Thread):
    """Sends recordings of a day later than those of the queries, of which each takes `pace` seconds, until it is stopped."""

    def __init__(self, server, files, pace):
        super().__init__()
        self.server, self.files, self.pace, self.over, self.sent = server, files, pace, threading.Event(), 0

    def run(self):
        for file, labels in self.files:
            began = time.monotonic()
            if self.server.send(file.read_bytes(), **labels)[0] != 200:
                sys.exit("server: a recording is not taken while it answers")
            self.sent += 1
            if self.over.wait(max(0, self.pace - (time.monotonic() - began))):
                return


def measure_receiving(server, results, options, cost):
    files = [pair for hour in range(DAY // 3600, DAY // 3600 + 2)
             for pair in make_hour(options, f"live{hour}", hour, HOSTS_OF_SERVICE, options.rows, 77)]
    sending = Sending(server, files, 2 * cost)
    sending.start()
    ask(server, results, options, "while receiving")
    sending.over.set()
    sending.join()
    results.add("while receiving", "zipf", "recordings received", sending.sent, "")


def measure(options, results):
    server = Server("fleet", *QUIET, "--retain-hours", "0")
    cost = send_all(server, results, options, "shop", options.hosts, options.rows, 10, "fleet")
    settle(server)
    size_of(server, results, "fleet", "zipf")
    server = restart(server, results, "fleet", "zipf", *QUIET)
    before = cpu_seconds(server)
    wait_for_rollups(server)
    results.add("fleet", "zipf", "CPU of making roll-ups", cpu_seconds(server) - before, "s")
    results.add("fleet", "zipf", "resident at most, making roll-ups", memory_mb(server, "VmHWM"), "MB")
    count_files(server, results)
    ask(server, results, options, "fleet")
    results.add("fleet", "zipf", "resident at most, with queries", memory_mb(server, "VmHWM"), "MB")
    if options.others:
        server.end()
        server = Server("fleet", *QUIET, "--retain-hours", "0")
        send_all(server, results, options, "other", options.hosts * options.others, OTHER_SAMPLES, 100_000, "with other services")
        settle(server)
        server.end()
        server = Server("fleet", *QUIET)
        wait_for_rollups(server)
        ask(server, results, options, "with other services")
    measure_receiving(server, results, options, cost)
    results.add("while receiving", "zipf", "resident at most", memory_mb(server, "VmHWM"), "MB")
    server.end()


# -- the page --------------------------------------------------------------------------------------------------------

def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def figure(results, part, what):
    values = results.of(part, "zipf", what)
    return number(values[0]) if values else "-"


def latency(results, part, name):
    times, used = sorted(results.of(part, "zipf", name)), sorted(results.of(part, "zipf", f"{name}, CPU"))
    if not times:
        return "-"
    middle, most = times[len(times) // 2], times[min(len(times) - 1, int(0.95 * len(times)))]
    cpu = "" if part == "while receiving" else f", CPU {number(used[len(used) // 2])} ms"  # it would be that of receiving, too
    return f"{number(middle)} / {number(most)} ms{cpu}"


def page(results, options):
    """The lines of the page on the fleet."""
    def one(what, unit, part="fleet"):
        return f"{figure(results, part, what)} {unit}"

    rows, rollups, making = (results.of("fleet", "zipf", what)[0]
                             for what in ("rows", "bytes of roll-ups", "CPU of making roll-ups"))
    lines = ["## A fleet as it is", "",
             f"{options.hosts} JVMs in services of {HOSTS_OF_SERVICE} send a recording a minute for {options.hours} h:",
             f"{rows / 1e6:.3g} M rows. Each recording has {options.rows:,} samples of each of six kinds, of which five have rows:",
             "CPU, wall clock, allocations, waits for locks, and lock holders. Live objects stay in the recording. Stacks are `zipf`",
             f"among {options.stacks:,}, of 30 to 90 frames. Samples of CPU and wall clock have one of 16 endpoints, which the first",
             f"frames of the stack decide. Latencies are median / 95th percentile over {options.runs} runs, with the whole answer sent.",
             "",
             "| what | goal | measured |", "|---|---|---|",
             f"| ingest, one core | 100 MB/s | {one('MB/s of a core', 'MB/s')} |",
             f"| recordings, one core | 500/s | {one('recordings/s of a core', '/s')}, of {one('bytes of a recording', 'B')} each |",
             f"| segment bytes per row | 2 B | {one('segment bytes per row', 'B')} |",
             f"| dictionary bytes per row | 0.5 B | {one('dictionary bytes per row', 'B')} |",
             f"| bytes of roll-ups per row |  | {number(rollups / rows)} B |",
             f"| CPU of making roll-ups, per million rows |  | {number(making / rows * 1e6)} s |",
             f"| most memory, making roll-ups | 500 MB | {one('resident at most, making roll-ups', 'MB')} |",
             f"| most memory, with queries | 500 MB | {one('resident at most, with queries', 'MB')} |",
             f"| most memory, with other services, receiving | 500 MB | {one('resident at most', 'MB', 'while receiving')} |",
             f"| files, without recordings, per 100 recordings | 1 | {one('files per 100 recordings, without these', '')} |",
             f"| restart after SIGTERM, per GB | 2 s | {one('restart after SIGTERM, per GB', 's')} |",
             f"| restart after SIGKILL, per GB | 2 s | {one('restart after SIGKILL, per GB', 's')} |", "",
             f"| query | goal | alone | with {options.others} times as many other services | while receiving, at half capacity |",
             "|---|---|---|---|---|"]
    for name, goal in GOALS.items():
        lines.append(f"| {name} | {goal} ms | " + " | ".join(latency(results, part, name) for part in PARTS) + " |")
    return lines
