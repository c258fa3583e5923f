#!/usr/bin/env python3
"""Child processes of a profiled JVM work as they do without a profiler: status, signal masks, descriptors.

tier: default
timeout: 600

Processes are started in every way that the JDK and native code have, with each kind of clock that the machine offers. If a child
inherited a clock, the clock would kill it (the default action of SIGTRAP and SIGPROF), so the test checks its exit status.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

NATIVE = ct.BUILD / "tests" / "jvm" / "libnative_children.so"
CHILDREN = 100 if ct.TIER == "all" else 12
CASES = (("POSIX_SPAWN", "auto"), ("FORK", "auto"), ("VFORK", "auto"), ("POSIX_SPAWN", "signal"), ("FORK", "timer"),
         ("FORK", "itimer"))


def children(jdk, mechanism, clock=None):
    agent = None
    if clock:
        path = ct.WORK / f"children-{jdk.version}-{mechanism}-{clock}.jfr"
        agent = ct.agent_options(file=path, interval="500us", clock=clock)
    with ct.Jvm(jdk, "Children", agent=agent, flags=[f"-Djdk.lang.Process.launchMechanism={mechanism}"]) as jvm:
        jvm.expect("ready")
        truth = jvm.round(children=CHILDREN if clock else 1)
        return jvm.finish(), truth


def check(jdk, mechanism, clock, plain):
    if mechanism == "POSIX_SPAWN" and jdk.version < 11:
        mechanism = "VFORK"  # how it starts children
    what = f"{jdk}, {mechanism}, clock {clock}"
    if (jdk, mechanism) not in plain:
        plain[jdk, mechanism] = children(jdk, mechanism)[1]
    status, truth = children(jdk, mechanism, clock)
    ct.ok(status == 0 and truth["good"] == CHILDREN,
          f"{what}: {truth['good']} of {CHILDREN} children end as expected")
    view = [(t["blocked"], t["ignored"], t["fds"]) for t in (truth, plain[jdk, mechanism])]
    ct.ok(view[0] == view[1], f"{what}: a child's masks and descriptors are those without us", view)


def native(jdk, clock):
    """The parent is still sampled as before, and its descriptors are the same."""
    what, path = f"{jdk}, native code, clock {clock}", ct.WORK / f"native-{jdk.version}-{clock}.jfr"
    with ct.Jvm(jdk, "NativeChildren", NATIVE, agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        jvm.round(children=1)  # everything that is loaded late has been loaded by now
        before = sorted(jvm.fds().values())
        started = jvm.control("start", file=path, interval="500us", clock=clock)
        truth = jvm.round(children=CHILDREN // 4)
        ct.ok(started[0] and truth["bad"] == 0 < truth["good"], f"{what}: {truth['good']} children end as expected", (started, truth))
        samples = int(jvm.control("status")[1]["samples"])
        jvm.round(children=1)
        ct.ok(ct.wait_until(lambda: int(jvm.control("status")[1]["samples"]) > samples), f"{what}: the parent is sampled on")
        jvm.control("stop")
        ct.ok(sorted(jvm.fds().values()) == before, f"{what}: and has the descriptors it had", (before, jvm.fds()))
        ct.ok(jvm.finish() == 0, f"{what}: and ends normally", jvm.transcript())
    recording, books = ct.Recording(path), ct.report(path)["books"]
    ct.identity_closes(books, what)
    ct.ok(books["complete"] + books["truncated"] + sum(books["failed"].values()) == len(recording.samples) > 0,
          f"{what}: {len(recording.samples)} samples, as many as in the books", books)


def main():
    ct.need(ct.AGENT, ct.PROGRAM, NATIVE)
    for jdk, clock in ct.spread(ct.jdks(), ("auto", "signal", "timer", "itimer")):
        native(jdk, clock)
    plain = {}
    for jdk, (mechanism, clock) in ct.spread(ct.jdks(), CASES, each=2):
        check(jdk, mechanism, clock, plain)
    ct.done()


main()
