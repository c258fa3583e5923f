#!/usr/bin/env python3
"""A JVM with a library in Go is sampled many times, by every clock, and survives. The results of its goroutines are right, and their
threads are in the report.

tier: default
timeout: 600

Goroutines run on stacks of a few KiB, where no signal handler has room. Go's runtime gives each of its threads an alternate stack,
and kills the process if a handler does not use it. It also handles the signals of faults. If one of our loads faults in a thread of
Go's, the fault must not reach Go's handler first, whether Go was there before us or came later.
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import goroutines

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fault"))
import faulty

CYCLES = ({"clock": "auto"}, {"clock": "signal"}, {"clock": "timer"}, {"clock": "itimer"}, {"event": "cpu,wall"}, {"clock": "auto"})
ROUNDS = int(os.environ.get("CANDOR_GO_ROUNDS", "1"))


def cycles(jvm, name):
    every = CYCLES * ROUNDS
    for i, how in enumerate(every):
        enough = 300 if i == len(every) - 1 else 20  # the last recording is examined
        jvm.start(ct.WORK / f"{name}-{i}.jfr", interval="1ms", **how)
        before = int(jvm.ask("status")["samples"])
        jvm.round(seconds=0.1)
        ct.wait_until(lambda: int(jvm.ask("status")["samples"]) > before + enough)
        jvm.stop()
    return ct.WORK / f"{name}-{i}.jfr"


def check(jdk, made, order):
    """order: whether Go is loaded before the first recording, or while it runs; and whether loads fail at random in all of them."""
    what, name = f"{jdk}, {order}", f"go-{jdk.version}-{order.split()[0]}"
    faults = faulty.Faults(name, loads=0.01 if order == "loads fault" else 0)
    first = {} if order == "Go first" else {"file": ct.WORK / f"{name}.jfr", "interval": "1ms"}
    agent = ct.agent_options(faulty.AGENT if order == "loads fault" else ct.AGENT, **first)
    with ct.Jvm(jdk, "Goroutines", made, agent=agent, env=dict(os.environ, **faults.environment)) as jvm:
        try:
            jvm.expect("ready")
            jvm.round("load", n=2)
            jvm.round(seconds=0.2)
            if first:
                jvm.stop()
            last = cycles(jvm, name)
            rounds = jvm.round(seconds=0.1)["rounds"]
            status = jvm.finish()
        except (RuntimeError, BrokenPipeError, OSError) as death:
            rounds, last, status = 0, None, death
        if not ct.ok(status == 0 and rounds > 0, f"{what}: the JVM lives through the recordings, and its goroutines compute",
                     f"{status}\n{jvm.transcript()}"):
            return
    if order == "loads fault":
        ct.ok(faults.counts()["faults"] > 100, f"{what}: {faults.counts()['faults']} of them")
    report = ct.report(last)
    ct.identity_closes(report["books"], what)
    frames = {frame for sample in ct.Recording(last).samples for frame, _, _ in sample.frames}
    ct.ok(any("main.descend" in frame or "main.compute" in frame for frame in frames), f"{what}: they are in the recording", frames)


def main():
    ct.need(ct.AGENT, ct.PROGRAM, faulty.AGENT)
    made = goroutines.library()
    if not made:
        ct.skip("a library in Go", "there is no Go here: install golang-go")
        ct.done()
    for jdk, order in ct.spread(ct.jdks(), ("Go first", "recorded first", "loads fault")):
        check(jdk, made, order)
    ct.done()


main()
