#!/usr/bin/env python3
"""Many JVMs: recorded at the same time, each into its own file; and several that were given the same file, which only one of them
writes.

tier: default
timeout: 1200

8 JVMs of all JDKs at once in the default tier, 64 in `all`.
"""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SMALL = ["-Xmx16m", "-Xss256k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=8m"]
CLIENTS = 4  # at a time


def complaints(jvm):
    return [line for line in jvm.err if line.startswith("candor:")]


def recorded_pid(path):
    """The process id in the recording."""
    return next(event["pid"] for event in ct.jfrfile.events(path) if event["@type"] == "jdk.JVMInformation")


def same_file(jdk):
    """As if JAVA_TOOL_OPTIONS reached every JVM of a build."""
    path = ct.WORK / f"same-{jdk.version}.jfr"
    environment = {**os.environ, "JAVA_TOOL_OPTIONS": ct.agent_options(file=path)}
    with ct.Jvm(jdk, "TwoMethods", env=environment) as first:
        first.expect("ready")
        with ct.Jvm(jdk, "TwoMethods", env=environment) as second:
            second.expect("ready")
            second.round(seconds=0.2)
            ct.ok(len(complaints(second)) == 1 and str(path) in complaints(second)[0] and "%p" in complaints(second)[0],
                  f"{jdk}: the second JVM says that another records to the file, and the remedy", second.transcript())
            ct.ok(second.finish() == 0, f"{jdk}: and continues", second.transcript())
        refused = ct.candor("start", "-o", path, first.pid)
        ct.ok(refused.status == 1 and "a recording is being written to it" in refused.err,
              f"{jdk}: nor does the first record twice", refused)
        first.round(seconds=0.5)
        ct.ok(first.finish() == 0 and not complaints(first), f"{jdk}: the first ends normally", first.transcript())
    ct.ok(recorded_pid(path) == first.pid and ct.Recording(path).samples, f"{jdk}: its recording is whole")
    with ct.Jvm(jdk, "TwoMethods", env=environment) as third:
        third.expect("ready")
        ct.ok(third.finish() == 0 and not complaints(third) and recorded_pid(path) == third.pid,
              f"{jdk}: when it has ended, the next may", third.transcript())


def own_files(jdk):
    environment = {**os.environ, "JAVA_TOOL_OPTIONS": f"-agentpath:{ct.AGENT}=file={ct.WORK}/own-%p.jfr"}
    with ct.Jvm(jdk, "TwoMethods", env=environment) as first, ct.Jvm(jdk, "TwoMethods", env=environment) as second:
        for jvm in (first, second):
            jvm.expect("ready")
            ct.ok(jvm.finish() == 0 and not complaints(jvm), f"{jdk}: with %p both record", jvm.transcript())
    for jvm in (first, second):
        ct.ok(recorded_pid(ct.WORK / f"own-{jvm.pid}.jfr") == jvm.pid, f"{jdk}: each into its own file")


def for_all(jvms, command):
    """Runs candor for each, a few at a time; returns the failures."""
    failed = []
    for at in range(0, len(jvms), CLIENTS):
        clients = [(ct.spawn([ct.PROGRAM, *command(jvm)], stdout=-1, stderr=-1, text=True), jvm) for jvm in jvms[at:at + CLIENTS]]
        for client, jvm in clients:
            out, err = client.communicate(timeout=ct.PATIENCE)
            if client.returncode != 0:
                failed.append(f"{jvm.pid}: {err}")
    return failed


def at_once(jdks, count):
    file = lambda jvm: ct.WORK / f"many-{jvm.pid}.jfr"
    jvms = []
    try:
        for at in range(0, count, CLIENTS):
            some = [ct.Jvm(jdks[i % len(jdks)], "TwoMethods", flags=SMALL) for i in range(at, min(at + CLIENTS, count))]
            jvms += some
            for jvm in some:
                jvm.expect("ready")
        failed = for_all(jvms, lambda jvm: ["start", "--timeout", "60s", "-i", "1ms", "-o", str(file(jvm)), str(jvm.pid)])
        ct.ok(not failed, f"{count} recordings begin", "\n".join(failed))
        listed = {row["pid"]: row for row in json.loads(ct.candor("list", "--json").out)["jvms"]}
        ct.ok(all(listed[jvm.pid]["recording"] for jvm in jvms), "list shows them all recording", listed)
        for jvm in jvms:
            jvm.round(seconds=0.1)
        failed = for_all(jvms, lambda jvm: ["stop", "--timeout", "60s", str(jvm.pid)])
        ct.ok(not failed, f"{count} recordings end", "\n".join(failed))
        good = [jvm for jvm in jvms if recorded_pid(file(jvm)) == jvm.pid and ct.Recording(file(jvm)).samples]
        ct.ok(len(good) == count, f"each JVM's file holds its own samples: {len(good)} of {count}")
        ended = [jvm.finish() for jvm in jvms]
        ct.ok(ended == [0] * count, "all end normally", ended)
    finally:
        for jvm in jvms:
            jvm.kill()


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk in jdks:
        same_file(jdk)
        own_files(jdk)
    if jdks:
        at_once(jdks, 64 if ct.TIER == "all" else 8)
    ct.done()


main()
