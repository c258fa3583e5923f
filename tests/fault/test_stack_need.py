#!/usr/bin/env python3
"""How much of a thread's stack a sample takes is bounded, whatever the clock and the thread; and threads with the
smallest stacks Java allows live with it, though they overflow them again and again.

tier: default
timeout: 600

The faulty agent paints the stack below each handler and looks afterwards how far the paint is gone (inject.c). Loads fault by
chance, so the kernel's frame for a fault, and those of the fault handler, are part of it. Handlers that a trap came on top of
are left out: each takes a frame of the kernel's more.
"""
import faulty
from faulty import ct

OWN_BYTES = 4096   # of our frames, the bound that hot/signal/handler.h states
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
        if not ct.ok(status == 0, f"{what}: the JVM lives and ends well", f"{status}\n{jvm.transcript()}"):
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
