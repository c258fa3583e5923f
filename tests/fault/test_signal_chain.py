#!/usr/bin/env python3
"""The JDK's libjsig is in front. It would put our fault handler behind the JVM's. Even so, loads that fault do no harm, neither in
threads in Java code, nor in threads whose stacks overflow, for which the JVM claims every fault.

tier: default
timeout: 600
"""
import faulty
from faulty import ct


def check(jdk, program, probability, least, **words):
    what, name = f"{jdk}, libjsig, {program}", f"jsig-{program}-{jdk.version}"
    faults, path = faulty.Faults(name, loads=probability, walks=20), ct.WORK / f"{name}.jfr"
    library = next(jdk.home.glob("**/libjsig.so"), None)
    if not library:
        ct.skip(what, "this JDK has no libjsig.so")
        return
    agent = ct.agent_options(faulty.AGENT, file=path, interval="500us")
    with ct.Jvm(jdk, program, agent=agent, env=dict(faults.environment, LD_PRELOAD=str(library))) as jvm:
        try:
            jvm.expect("ready")
            while faults.counts()["faults"] < least:
                jvm.round(seconds=0.2, **words)
            status = jvm.finish()
        except (RuntimeError, BrokenPipeError) as death:
            status = death
        counts = faults.counts()
        if ct.ok(status == 0, f"{what}: the JVM lives through {counts['faults']} faults and ends", f"{status}\n{jvm.transcript()}"):
            samples = len(ct.Recording(path).samples)
            ct.ok(samples > counts["kept"], f"{what}: the recording is whole and holds {samples} samples")
            ct.identity_closes(ct.report(path)["books"], what)


def main():
    ct.need(faulty.AGENT, ct.PROGRAM)
    for jdk in ct.jdks():
        check(jdk, "Intrinsics", 0.01, 2000, load="string")
        check(jdk, "Overflow", 0.1, 50_000, threads=3)
    ct.done()


main()
