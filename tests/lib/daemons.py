"""A candor daemon for a test, the JVMs that it profiles, and the sums of its recordings.

    config("name", server=url, chunk="1s", look="1s", min_age="0")
    with jvm(jdk, "name") as one:
        daemon = Daemon("name")
        ...
        daemon.end()
"""
import collections
import json
import os
import re
import signal
import subprocess
import threading
import time

import candortest as ct
import collector

MARK = f"test-{os.getpid()}"


def config(name, *rules, **daemon):
    """A configuration by which only this test's JVMs are profiled."""
    path = ct.WORK / f"{name}.conf"
    lines = ["[daemon]", *(f"{key.replace('_', '-')} = {value}" for key, value in daemon.items()),
             *(rules or ["[jvm mine]"]), f"property.candor.test = {MARK}-{name}", "[jvm rest]", "profile = no"]
    path.write_text("\n".join(lines) + "\n")
    return path


def jvm(jdk, name, *flags, wrapper=(), program="TwoMethods"):
    one = ct.Jvm(jdk, program, wrapper=wrapper, flags=[f"-Dcandor.test={MARK}-{name}", "-Xmx64m", *flags])
    one.expect("ready")
    return one


class Daemon:
    def __init__(self, name, *options, wrapper=()):
        self.spool = ct.WORK / f"spool-{name}"
        self.process = ct.spawn([*wrapper, ct.PROGRAM, "daemon", "--config", ct.WORK / f"{name}.conf", "--spool", self.spool, *options],
                                stderr=subprocess.PIPE, text=True)
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def log(self, pattern):
        return [match for match in (re.search(pattern, line) for line in list(self.lines)) if match]

    def wait_log(self, pattern, count=1, timeout=120):
        deadline = time.monotonic() + timeout
        while len(self.log(pattern)) < count and time.monotonic() < deadline and self.process.poll() is None:
            time.sleep(0.05)
        return self.log(pattern)

    def status(self):
        return json.loads((self.spool / "status.json").read_text())

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        status = self.process.wait(ct.PATIENCE)
        self.reader.join(10)
        ct._alive.discard(self.process)
        return status

    def is_empty(self):
        return not list((self.spool / "live").iterdir()) and not list((self.spool / "queue").iterdir())

    def __str__(self):
        return "".join(self.lines[-40:])


def wait_for(condition, timeout=120):
    deadline = time.monotonic() + timeout
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


# The parts of the book of CPU time, and the types of events that the agent counts as samples.
CPU_PARTS = ("complete", "truncated", "failed", "lost", "unseen", "residual")
SAMPLES = ("candor.CpuSample", "candor.WallSample", "jdk.ObjectAllocationSample", "jdk.JavaMonitorEnter", "jdk.ThreadPark",
           "jdk.GarbageCollection")

Sums = collections.namedtuple("Sums", "samples weight cpu books recordings unbalanced repeated services types")


def sums(taken):
    """By the JVM's pid: the sums over its recordings (collector.Taken): samples of all kinds, and the CPU time. A sample of CPU time is
    identified by its time, thread and pc."""
    found = collections.defaultdict(lambda: [0, 0, 0, 0, 0, 0])
    services, types = collections.defaultdict(set), collections.defaultdict(collections.Counter)
    seen = collections.defaultdict(collections.Counter)
    path = ct.WORK / "taken.jfr"
    for one in taken:
        path.write_bytes(collector.unpacked(one.body))
        events = list(ct.jfrfile.events(path))
        pid = next(event["pid"] for event in events if event["@type"] == "jdk.JVMInformation")
        samples = [event for event in events if event["@type"] == "candor.CpuSample"]
        books = {(event["account"], event["reason"]): event["time"] for event in events if event["@type"] == "candor.BookLine"}
        kinds = collections.Counter(event["@type"] for event in events if event["@type"] in SAMPLES)
        types[pid] += kinds
        weight = sum(event["weight"] for event in samples)
        booked = sum(ns for (account, _), ns in books.items() if account in ("complete", "truncated", "failed"))
        right = sum(ns for (account, _), ns in books.items() if account in CPU_PARTS)
        for event in samples:
            seen[pid][event["startTime"], event["eventThread"]["osThreadId"], event["pc"], event["weight"]] += 1
        totals = found[pid]
        for i, value in enumerate((kinds.total(), weight, books.get(("cpu", ""), 0), booked, 1,
                                   weight != booked or right != books.get(("cpu", ""), 0))):
            totals[i] += value
        services[pid].add(one.labels["service"])
    return {pid: Sums(*totals, sum(n - 1 for n in seen[pid].values()), services[pid], types[pid]) for pid, totals in found.items()}


def check_sums(name, got, pid, samples):
    """samples: the number that the agent counted."""
    ct.ok(got and got.samples == samples, f"{name}: the server has each of the agent's {samples} samples", got)
    ct.ok(got and not got.repeated and not got.unbalanced and got.weight == got.books,
          f"{name}: none twice, and the books of each recording are those of its samples", got)
