#!/usr/bin/env python3
"""Hours under load: no crash, no hang, constant memory, books within their bounds all the time.

tier: all
timeout: 20000

Soak.java (classes and threads that come and go, deoptimisation, overflowing stacks, allocation) runs in three lanes side by
side, for two hours in all or CANDOR_SOAK_SECONDS:

    matrix   each collector of each JDK, a JVM for each, with the agent and again with the faulty one (tests/fault), of whose
             foreign loads one in a thousand fails; recordings start and stop, with each clock in turn
    cycles   one JVM, a recording after the other
    always   one JVM, one recording from the beginning to the end

Resident memory is compared between a third of a JVM's life and its end. The heap is of fixed size and already in memory, so any
growth comes from the agent, or from the JVM for code and classes. The residual's bound is that of test_thread_churn.py; with timers,
which do not see how a thread ends (docs/internals/known-limits.md), it is a fifth of the CPU time.
"""
import concurrent.futures
import math
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fault"))
import faulty
import soaking
from soaking import ct, ok

INTERVAL_NS = 1_000_000
FAULTS = 0.001
CLOCKS = ("sigtrap", "signal", "timer", "itimer")
TIMERS = ("timer", "itimer")
COLLECTORS = ("Serial", "Parallel", "ConcMarkSweep", "G1", "Z", "Shenandoah")
UNLOCK = "-XX:+UnlockExperimentalVMOptions"
MOST_GROWN_KIB = 64 * 1024
WORK = {"seconds": 4, **soaking.WORK}

class Tally(soaking.Tally):
    """Also how well its books balanced."""

    worst = 0.0

    def look_at(self, path, clock, started):
        """The recording is whole, and its books balance within the bound."""
        recording, books = ct.Recording(path), ct.report(path)["books"]
        self.samples.update(sample.outcome for sample in recording.samples)
        chance = ct.STANDARD_ERRORS * math.sqrt(started) * INTERVAL_NS / 2
        bound = (chance + books["unseen_ns"].get("after_exit", 0) / 2) / books["cpu_ns"] + 0.02
        bound = max(bound, 0.2) if clock in TIMERS else bound
        share = abs(ct.residual_share(books))
        self.worst = max(self.worst, share)
        if ct.accounts_ns(books) != books["cpu_ns"] or share > bound or not recording.samples:
            self.bad.append(f"{path.name}, {clock}: residual {share:.4f}, bound {bound:.4f}, {len(recording.samples)} samples, {books}")

    def judge_memory(self):
        grown = self.resident[-1] - self.resident[len(self.resident) // 3] if self.resident else 0
        ok(grown < MOST_GROWN_KIB, f"{self.what}: {grown} KiB grown, of {self.resident[-1:]}", self.resident)

    def judge_recordings(self):
        ok(not self.bad and sum(self.samples.values()) > 0,
           f"{self.what}: {sum(self.samples.values())} samples {dict(self.samples)}, books closed, residual at most "
           f"{100 * self.worst:.2f} %", "\n".join(self.bad))


def recordings(tally, jvm, path, clocks):
    """A round that is recorded separately, with the next clock."""
    def one_round():
        clock = clocks[tally.rounds % len(clocks)]
        jvm.start(path, interval="1ms", clock=clock)
        truth = jvm.round(**WORK)
        jvm.stop()
        tally.look_at(path, clock, truth["started"])
    return one_round


def knows(jdk, collector):
    result = ct.run(jdk.java, UNLOCK, f"-XX:+Use{collector}GC", "-version")
    return result.status == 0 and "removed" not in result.err


def cell(jdk, collector, with_faults, end):
    tally = Tally(f"{jdk}, {collector}" + (", with faults" if with_faults else ""))
    name = f"{jdk.version}-{collector}"
    faults = faulty.Faults(name, loads=FAULTS)
    agent = ct.agent_options(faulty.AGENT if with_faults else None)
    flags = [*soaking.STEADY_MEMORY, UNLOCK, f"-XX:+Use{collector}GC"]
    with ct.Jvm(jdk, "Soak", agent=agent, flags=flags, env=faults.environment if with_faults else None) as jvm:
        soaking.strain(tally, jvm, end, recordings(tally, jvm, ct.WORK / f"{name}.jfr", CLOCKS))
    tally.judge_memory()
    tally.judge_recordings()
    if with_faults:
        ok(faults.counts()["faults"] > 0, f"{tally.what}: {faults.counts()['faults']} loads failed")


def matrix(jdks, end):
    cells = [(jdk, collector, with_faults) for collector in COLLECTORS for jdk in jdks if knows(jdk, collector)
             for with_faults in (True, False)]
    for i, one in enumerate(cells):
        now = time.monotonic()
        cell(*one, now + max(end - now, 0) / (len(cells) - i))


def cycles(jdk, end):
    tally = Tally(f"{jdk}, a recording after the other")
    with ct.Jvm(jdk, "Soak", agent=ct.agent_options(), flags=soaking.STEADY_MEMORY) as jvm:
        soaking.strain(tally, jvm, end, recordings(tally, jvm, ct.WORK / "cycles.jfr", ("auto",)))
    tally.judge_memory()
    tally.judge_recordings()


def always(jdk, end):
    tally, path, started = Tally(f"{jdk}, one recording"), ct.WORK / "always.jfr", [0]

    def one_round():
        started[0] += jvm.round(**WORK)["started"]

    with ct.Jvm(jdk, "Soak", agent=ct.agent_options(file=path, interval="10ms"), flags=soaking.STEADY_MEMORY) as jvm:
        soaking.strain(tally, jvm, end, one_round)
    tally.look_at(path, "auto", 100 * started[0])  # 100 = (10 ms / INTERVAL_NS) squared: the variance grows so
    tally.judge_memory()
    tally.judge_recordings()


def main():
    ct.need(faulty.AGENT, ct.AGENT, ct.PROGRAM)
    jdks = ct.jdks()
    end = time.monotonic() + soaking.SECONDS
    with concurrent.futures.ThreadPoolExecutor() as pool:
        lanes = [pool.submit(matrix, jdks, end), pool.submit(cycles, ct.jdk(25), end), pool.submit(always, ct.jdk(21), end)]
        for lane in lanes:
            lane.result()
    ct.done()


main()
