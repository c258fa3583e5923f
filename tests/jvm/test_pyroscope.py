#!/usr/bin/env python3
"""Pyroscope's own Java agents in a JVM, an old one and today's, send to /ingest. The sum of what they sent equals what the server shows
plus what it pruned, exactly, for every kind of sample. Data that are not kept are counted and named.

tier: default
timeout: 600

A proxy between agent and server keeps the requests; the tests' own reader reads the recordings in them.
"""
import collections
import gzip
import json
import os
import re
import pathlib
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct
from servers import Server
from witness import Witness

INTERVAL = 10_000_000
UPLOADS = 3
HOUR = {"from": "-1h", "to": "now"}


def fetch(version):
    result = ct.run(HERE / "fetch_pyroscope.sh", version, timeout=200)
    if result.status:
        ct.skip("Pyroscope's Java agent", f"it cannot be fetched: {' '.join(result.err.split())[-200:]}")
        return None
    return result.out.strip()


def samples_of(recordings):
    """(their number, the methods at their tops), by the tests' own reader."""
    count, tops, path = 0, set(), ct.WORK / "source.jfr"
    for body in recordings:
        path.write_bytes(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
        for event in ct.jfrfile.events(path):
            if event["@type"] == "jdk.ExecutionSample":
                count += 1
                tops.add(ct.frame_of(event["stackTrace"]["frames"][0])[0])
    return count, tops


def check_old(jar, jdk):
    server = Server("pyroscope")
    witness = Witness(server)
    settings = {"SERVER_ADDRESS": witness.url, "APPLICATION_NAME": "ring", "LABELS": "region=eu,pod=a-1", "FORMAT": "jfr",
                "UPLOAD_INTERVAL": "2s", "PROFILING_INTERVAL": f"{INTERVAL // 1_000_000}ms", "PROFILER_EVENT": "itimer"}
    environment = {**os.environ, **{f"PYROSCOPE_{name}": value for name, value in settings.items()}}
    with ct.Jvm(jdk, "TwoMethods", flags=[f"-javaagent:{jar}", "-Xmx128m"], env=environment) as jvm:
        jvm.expect("ready")
        while len(witness.taken) < UPLOADS and not witness.refused:
            jvm.round(seconds=1, threads=1)
        ct.ok(jvm.finish() == 0, "the JVM ends normally", jvm.transcript())
    witness.close()
    ct.ok(len(witness.taken) >= UPLOADS and not witness.refused, f"{len(witness.taken)} recordings are taken", witness.refused)
    count, tops = samples_of(witness.taken)
    ct.note(urllib.parse.unquote(witness.paths[0]) if witness.paths else "nothing came")
    ct.ok(count >= 50 and "TwoMethods.heavy" in tops, f"they hold {count} samples", tops)
    total = server.total(**HOUR)
    ct.ok(total == count * INTERVAL, f"the server's sum is theirs: {total} ns", count * INTERVAL)
    for nodes in (5, 20000):
        few = server.get("/v1/flamegraph", max_nodes=nodes, **HOUR)["server"]
        ct.ok(few["shown"] + few["pruned"] == count * INTERVAL and (few["pruned"] > 0) == (nodes == 5) and not few["unreadable"],
              f"{nodes} nodes: shown {few['shown']} + pruned {few['pruned']} is that sum", few)
    services = server.get("/v1/services", **HOUR)["services"]
    ct.ok(len(services) == 1 and services[0]["name"].startswith("ring") and services[0]["labels"].get("region") == ["eu"] and
          services[0]["labels"].get("pod") == ["a-1"] and services[0]["recordings"] == len(witness.taken), "its service and labels",
          services)
    methods = {row["name"]: row["self"] for row in server.get("/v1/methods", **HOUR)["report"]["methods"]}
    ct.ok(max(methods, key=methods.get, default=None) == "TwoMethods.heavy", "and its hottest method", methods)
    ct.ok(server.balances(), "received = stored + duplicates + refused + on their way", server.metrics())
    ct.ok(server.end() == 0, "the server ends normally")


# ---- today's agent, all kinds ----

def unpacked(body):
    path = ct.WORK / "source.jfr"
    path.write_bytes(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
    return path


def sums_of(recordings, event):
    """({type: sum}, live objects) of the recordings, by the tests' own reader."""
    sums, live = collections.Counter(), 0
    for body in recordings:
        for one in ct.jfrfile.events(unpacked(body)):
            kind = one["@type"]
            if kind == "jdk.ExecutionSample" and event == "itimer":
                sums["cpu:ns"] += INTERVAL
            elif kind == "profiler.WallClockSample":
                sums["wall:ns"] += one["samples"] * INTERVAL
            elif kind.startswith("jdk.ObjectAllocation"):
                sums["alloc_space:bytes"] += one["tlabSize"] if kind.endswith("InNewTLAB") else one["allocationSize"]
            elif kind in ("jdk.JavaMonitorEnter", "jdk.ThreadPark"):
                sums["lock:ns"] += one["duration"]
            live += kind == "profiler.LiveObject"
    return dict(sums), live


def check_new(jar, jdk, event, first):
    server = Server(f"pyroscope-{event}")
    witness = Witness(server)
    settings = {"SERVER_ADDRESS": witness.url, "APPLICATION_NAME": "all", "FORMAT": "jfr", "UPLOAD_INTERVAL": "2s", "PROFILER_EVENT": event,
                "PROFILING_INTERVAL": f"{INTERVAL // 1_000_000}ms", "PROFILER_ALLOC": "64k", "PROFILER_LOCK": "1ms", "ALLOC_LIVE": "true"}
    environment = {**os.environ, **{f"PYROSCOPE_{name}": value for name, value in settings.items()}}
    with ct.Jvm(jdk, "Labelled", flags=[f"-javaagent:{jar}", "-Xmx128m"], env=environment) as jvm:
        jvm.expect("ready")
        while not sums_of(witness.taken, event)[0].get("lock:ns") and not witness.refused:
            jvm.round(seconds=1)
        ct.ok(jvm.finish() == 0, f"{event}: the JVM ends normally", jvm.transcript())
    witness.close()
    wanted, live = sums_of(witness.taken, event)
    found = server.get("/v1/services", **HOUR)["services"][0]["types"]
    ct.ok(not witness.refused and wanted.keys() == {first, "alloc_space:bytes", "lock:ns"} and found == wanted,
          f"{event}: every kind has the sum that was sent: {wanted}", (found, witness.refused))
    said = " ".join(json.loads(answer).get("left_out", "") for answer in witness.answers)
    named = sum(map(int, re.findall(r"(\d+) samples of the kind live", said)))
    ct.ok(live and named == live, f"{event}: {live} live objects are named", said)
    ct.ok(re.search(r"labels of [1-9]\d* samples \(contextId", said) and re.search(r"the field labels: [1-9]\d* contexts", said),
          f"{event}: labels are named", said)
    ct.ok(server.balances() and server.end() == 0, f"{event}: received = stored + duplicates + refused + on their way")


def main():
    ct.need(ct.PROGRAM, ct.BUILD / "candor-server")
    old, new, jdk = fetch("2.1.2"), fetch("2.9.2"), ct.jdk(17)
    if not jdk:
        ct.skip("Pyroscope's Java agent", "JDK 17 is not cached; run script/jdks")
        ct.done()
    if old:
        check_old(old, jdk)
    if new:
        check_new(new, jdk, "itimer", "cpu:ns")
        check_new(new, jdk, "wall", "wall:ns")
    ct.done()


if __name__ == "__main__":
    main()
