#!/usr/bin/env python3
"""Children of a profiled JVM live as if there were no profiler: status, signal masks, descriptors.

tier: default
timeout: 600

Every way the JDK starts processes, with each kind of clock the machine offers. A clock inherited by a child would
kill it (SIGTRAP and SIGPROF do by default), so its exit status is the test.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

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
        mechanism = "VFORK"  # what it starts children by
    what = f"{jdk}, {mechanism}, clock {clock}"
    if (jdk, mechanism) not in plain:
        plain[jdk, mechanism] = children(jdk, mechanism)[1]
    status, truth = children(jdk, mechanism, clock)
    ct.ok(status == 0 and truth["good"] == CHILDREN,
          f"{what}: {truth['good']} of {CHILDREN} children end as they should")
    view = [(t["blocked"], t["ignored"], t["fds"]) for t in (truth, plain[jdk, mechanism])]
    ct.ok(view[0] == view[1], f"{what}: a child's masks and descriptors are those without us", view)


def main():
    ct.need()
    plain = {}
    for jdk, (mechanism, clock) in ct.spread(ct.jdks(ct.VERSIONS), CASES, each=2):
        check(jdk, mechanism, clock, plain)
    ct.done()


main()
