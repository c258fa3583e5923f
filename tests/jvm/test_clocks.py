#!/usr/bin/env python3
"""Each clock, selected by the option, gives a correct profile, and the recording says which clock it was.

tier: default
timeout: 900

The clocks of the scheduler tick (timer, itimer) fire at most every few milliseconds, so their samples have different weights: the
standard error of a share is computed with the effective sample size. The program chooses its methods at random, so that it is not in
step with a tick. A perf clock covers the threads' CPU time within 2 %. A thread timer covers it within 5 %, because of the unfinished
tick at the end. The process timer (at 10 ms, because it counts no overruns) distributes time at random among threads: 15 %.

The residual of the books. Perf clocks: the time that the T threads' samples miss has a standard deviation of sqrt(T / 4.8) intervals;
5 of them are allowed, and 0.5 % for differences between clocks. A thread timer: the time that a thread used since the tick that last
found it running is at worst exponential with the mean of a tick; the sum over k threads is above k + 5 sqrt(k) + 8 ticks with
probability < 1e-6. Threads that used less than a tick may be unseen altogether. The process timer stands for the CPU time of all
threads up to its last expiry: one interval and the ticks of one thread.
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

INTERVAL_NS = {"1ms": 1_000_000, "10ms": 10_000_000}
# The interval, the CPU time in each of two threads, the limit for the coverage.
CLOCKS = {"sigtrap": ("1ms", 1.5, 0.02), "signal": ("1ms", 1.5, 0.02), "timer": ("1ms", 1.5, 0.05), "itimer": ("10ms", 3, 0.15)}


def residual_bound(clock, interval, recording, books):
    used = [cpu for _, cpu, _ in recording.thread_cpu.values()]
    tick = books["clock_resolution_ns"]
    if clock in ("sigtrap", "signal"):
        return ct.STANDARD_ERRORS * math.sqrt(len(used) / 4.8) * INTERVAL_NS[interval] + 0.005 * books["cpu_ns"]
    if clock == "itimer":
        return INTERVAL_NS[interval] + 14 * tick
    busy = sum(cpu >= tick for cpu in used)
    return (busy + ct.STANDARD_ERRORS * math.sqrt(busy) + 8) * tick + sum(cpu for cpu in used if cpu < tick)


def check(jdk, clock, interval, seconds, coverage):
    what, path = f"{jdk}, {clock}", ct.WORK / f"{clock}-{jdk.version}.jfr"
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=0.3)
        good, answer = jvm.control("start", file=path, interval=interval, clock=clock)
        if not good and clock in ("sigtrap", "signal"):
            ct.skip(what, f"not possible here: {answer}")
            return
        if not ct.ok(good, f"{what}: starts", answer):
            return
        ct.ok(clock in answer.get("clock", ""), f"{what}: status names the clock", answer)
        truth = jvm.round(seconds=seconds)
        good, answer = jvm.control("stop")
        ct.ok(good, f"{what}: stops", answer)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    recording, books = ct.Recording(path), ct.report(path)["books"]
    ct.ok(clock in books["clock"], f"{what}: the recording names the clock", books["clock"])
    ct.note(f"{what}: resolution {books['clock_resolution_ns']} ns, residual {100 * ct.residual_share(books):.2f} %")
    heavy, light = ([s.weight for s in recording.samples if s.leaf == name]
                    for name in ("TwoMethods.heavy", "TwoMethods.light"))
    size = ct.effective_size(heavy + light)
    ct.ok(size > 200, f"{what}: {size:.0f} effective samples")
    true_share = truth["heavy_ns"] / (truth["heavy_ns"] + truth["light_ns"])
    ct.share_agrees(sum(heavy) / max(sum(heavy + light), 1), true_share, size, what)
    seen = sum(s.weight for s in recording.samples if (s.thread or "").startswith("two-methods-")) / truth["cpu_ns"]
    ct.weights_add_up(recording, seen, coverage, what)
    ct.identity_closes(books, what)
    ct.residual_within(books, residual_bound(clock, interval, recording, books) / books["cpu_ns"], what)


def main():
    ct.need()
    for jdk, clock in ct.spread(ct.jdks(), list(CLOCKS)):
        check(jdk, clock, *CLOCKS[clock])
    ct.done()


main()
