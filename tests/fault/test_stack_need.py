#!/usr/bin/env python3
"""The part of a thread's stack that a sample uses is limited, whatever the clock and the thread. Threads with the smallest stacks that
Java allows survive, although they overflow their stacks repeatedly.

tier: default
timeout: 600

The faulty agent fills the stack below each handler with a pattern, and checks afterwards how much of it is gone (inject.c). Loads
fault at random, so the kernel's frame for a fault, and the frames of the fault handler, are included. Handlers that were interrupted
by a trap are left out, because each takes another frame of the kernel.
"""
import faulty
from faulty import ct

OWN_BYTES = 4096   # for our frames, the limit that hot/signal/handler.h states
CASES = [("Overflow", "auto"), ("Loaders", "signal"), ("Overflow", "timer"), ("Intrinsics", "auto"), ("Overflow", "itimer"),
         ("Overflow", "signal")]
WORDS = {"Overflow": {"threads": 2}, "Loaders": {"class": "same"}, "Intrinsics": {}}
MEASURED = 300


def check(jdk, case):
    program, clock = case
    what, name = f"{jdk}, {program}, {clock}", "-".join((*case, str(jdk.version)))
    faults, path = faulty.Faults(name, stack=1, loads=0.01), ct.WORK / f"{name}.jfr"
    agent = ct.agent_options(faulty.AGENT, file=path, interval="200us", clock=clock)
    with ct.Jvm(jdk, program, agent=agent, flags=["-Xmx256m"], env=faults.environment) as jvm:
        try:
            jvm.expect("ready")
            while faults.counts()["measured"] < MEASURED:
                jvm.round(seconds=0.2, **WORDS[program])
            status = jvm.finish()
        except (RuntimeError, BrokenPipeError) as death:
            status = death
        if not ct.ok(status == 0, f"{what}: the JVM lives and ends normally", f"{status}\n{jvm.transcript()}"):
            return
    counts = faults.counts()
    kernel = counts["kernel_bytes"]
    ct.ok(0 < counts["handler_bytes"] <= OWN_BYTES + kernel,
          f"{what}: below the kernel's frame of {kernel} bytes the most that {counts['measured']} handlers took is "
          f"{counts['handler_bytes']} bytes", counts)


def main():
    ct.need(faulty.AGENT)
    for jdk, case in ct.spread(ct.jdks(), CASES):
        check(jdk, case)
    ct.done()


main()
