#!/usr/bin/env python3
"""Hours with everything in the process that may conflict with a profiler: the JVM survives, its results are right, and nothing grows.

tier: all
timeout: 20000

Guests.java is Soak.java (classes and threads that come and go, deoptimisation, overflowing stacks, allocation) with a library in Go,
a crash reporter that comes late and takes our signals, and threads that block every signal. On three JDKs, recordings of all events
start and stop, with each clock in turn. Each continues for CANDOR_SOAK_PAUSE_SECONDS while the program rests. Beside each JVM the
same program runs without the agent, to compare the memory. It takes two hours in all, or CANDOR_SOAK_SECONDS.
"""
import concurrent.futures
import os
import signal
import time

import soaking
from soaking import ct, ok
import goroutines

TAKERS = ct.BUILD / "tests" / "jvm" / "libsignal_takers.so"
CLOCKS = ("sigtrap", "signal", "timer", "itimer")
# The signals that the crash reporter takes, and returns at the end of each round. The others belong to Go, whose runtime sends SIGURG to
# itself.
TAKEN = int(signal.SIGTRAP)
EVENTS = ("cpu,wall,alloc,live,lock,halt", "cpu", "cpu,wall", "cpu,alloc,lock")
PAUSE_SECONDS = float(os.environ.get("CANDOR_SOAK_PAUSE_SECONDS", 3))
MOST_GROWN_KIB = 24 * 1024  # more than the same program without the agent


class Guest:
    """One JVM with the program, with the agent or without it."""

    def __init__(self, jdk, made, recorded):
        self.tally = soaking.Tally(f"{jdk}, {'recorded' if recorded else 'alone'}")
        self.jdk, self.made, self.recorded = jdk, made, recorded
        self.path = ct.WORK / f"guests-{jdk.version}.jfr"
        self.deaf = self.loaded = 0

    def work(self, jvm):
        if not self.loaded:
            jvm.round("load", takers=TAKERS, **({"go": self.made} if self.made else {}))
            self.loaded = 1
        truth = jvm.round(**{**soaking.WORK, "seconds": 1}, signal=TAKEN, goes=int(bool(self.made)))
        if truth["wrong"] != "none" or (self.made and truth["rounds"] < 1):
            self.tally.bad.append(f"round {self.tally.rounds}: {truth}")

    def one_round(self, jvm):
        clock = CLOCKS[self.tally.rounds % len(CLOCKS)]
        events = EVENTS[self.tally.rounds // len(CLOCKS) % len(EVENTS)]
        if self.recorded:
            jvm.start(self.path, interval="1ms", clock=clock, event=events)
        self.work(jvm)
        time.sleep(PAUSE_SECONDS)
        if self.recorded:
            jvm.stop()
            self.look()

    def look(self):
        recording, report = ct.Recording(self.path), ct.report(self.path)
        self.tally.samples.update(sample.outcome for sample in recording.samples)
        books = report["books"]
        self.deaf += books["unseen_ns"].get("signals_blocked", 0) > 0
        if ct.accounts_ns(books) != books["cpu_ns"] or not recording.samples:
            self.tally.bad.append(f"round {self.tally.rounds}: {len(recording.samples)} samples, {books}")

    def live(self, end):
        flags = [*soaking.STEADY_MEMORY, "-XX:+IgnoreUnrecognizedVMOptions", "-XX:-CreateCoredumpOnCrash"]
        with ct.Jvm(self.jdk, "Guests", agent=ct.agent_options() if self.recorded else None, flags=flags) as jvm:
            soaking.strain(self.tally, jvm, end, lambda: self.one_round(jvm))
        ok(not self.tally.bad, f"{self.tally.what}: nobody sees a profiler, goroutines compute, books close, "
           f"{dict(self.tally.samples)}", "\n".join(self.tally.bad[:20]))
        return self


def grown_kib(guest):
    """The growth since a third of its life, by the medians at both ends."""
    history = guest.tally.resident
    third = len(history) // 3
    width = max(1, min(20, third))
    return sorted(history[-width:])[width // 2] - sorted(history[third:third + width])[width // 2]


def main():
    ct.need(ct.AGENT, ct.PROGRAM, TAKERS)
    made, end = goroutines.library(), time.monotonic() + soaking.SECONDS
    if not made:
        ct.skip("a library in Go", "there is no Go here: install golang-go")
    jdks = [jdk for jdk in ct.jdks() if jdk.version in (17, 21, 25)]
    guests = [Guest(jdk, made, recorded) for jdk in jdks for recorded in (True, False)]
    with concurrent.futures.ThreadPoolExecutor(len(guests)) as pool:
        lived = list(pool.map(lambda guest: guest.live(end), guests))
    for with_agent, alone in zip(lived[::2], lived[1::2]):
        grown, alone_grown = grown_kib(with_agent), grown_kib(alone)
        ok(grown < alone_grown + MOST_GROWN_KIB,
           f"{with_agent.jdk}: {grown} KiB grown in {with_agent.tally.rounds} recordings, {alone_grown} without the agent",
           (with_agent.tally.resident, alone.tally.resident))
        ok(with_agent.deaf, f"{with_agent.jdk}: threads that block signals have their account in {with_agent.deaf} recordings")
    ct.done()


main()
