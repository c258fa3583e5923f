#!/usr/bin/env python3
"""Threads that live for a millisecond, up to 200 at a time, as fast as the JVM starts them: they are seen in proportion, and nothing
leaks.

tier: default
timeout: 900

With an interval of 1 ms a thread of 1 ms is sampled once on average, and the expected weight of its samples is its CPU time. Summed
over n samples the relative standard error is below 1 / sqrt(n); the bound is 5 of them plus 5 %. The latter is for the work of
Thread.run around burn(). (The frames of burn() itself are not counted: the debug information that C2 writes in JDK 25 assigns a part
of its inlined loop to a method of java.lang.Thread; AsyncGetCallTrace agrees.)
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

THREADS = 60_000 if ct.TIER == "all" else 2_000
INTERVAL_NS = 1_000_000
# The JVM's own threads must not begin and end.
FIXED_THREADS = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:-UseDynamicNumberOfCompilerThreads", "-XX:-UseDynamicNumberOfGCThreads"]
LEAST_AFTER_EXIT_NS = 5000  # to leave the JVM and the kernel takes tens of microseconds


def churn(jdk):
    path = ct.WORK / f"churn-{jdk.version}.jfr"
    with ct.Jvm(jdk, "ThreadChurn", agent=ct.agent_options(), flags=FIXED_THREADS) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=1)
        before = len(jvm.fds()), len(jvm.threads())
        good, answer = jvm.control("start", file=path, interval="1ms")
        if not ct.ok(good, f"{jdk}: the recording starts", answer):
            return
        truth = jvm.round(seconds=600, count=THREADS)
        good, answer = jvm.control("stop")
        ct.ok(good, f"{jdk}: the recording stops", answer)
        # The last threads have counted down; on a busy machine it may take them a while to leave the kernel.
        ct.wait_until(lambda: len(jvm.threads()) <= before[1] + 2)
        after = len(jvm.fds()), len(jvm.threads())
        ct.ok(after[0] <= before[0] and after[1] <= before[1] + 2,
              f"{jdk}: no descriptor or thread is left: {before} before, {after} after", sorted(jvm.fds().values()))
        ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())
    ct.ok(truth["started"] == truth["finished"] == THREADS,
          f"{jdk}: {truth['started']} threads started and finished")
    check(jdk, path, truth)


def check(jdk, path, truth):
    recording, books = ct.Recording(path), ct.report(path)["books"]
    burnt = [sample.weight for sample in recording.samples
             if sample.thread == "churn" and any(name == "java.lang.Thread.run" for name, _, _ in sample.frames)]
    ratio = sum(burnt) / truth["burn_ns"]
    bound = ct.STANDARD_ERRORS / math.sqrt(max(len(burnt), 1)) + 0.05
    ct.ok(abs(ratio - 1) < bound, f"{jdk}: the threads have {ratio:.4f} of their true CPU time, bound 1 +- {bound:.4f}", books)
    ct.identity_closes(books, str(jdk))
    # The weights of a thread differ from its CPU time by chance, with a standard deviation of at most half an interval. The time that a
    # thread uses after the kernel has closed its account is less than half of the time from its end in Java until then, on any machine (a
    # fifth was seen). 1 % is for differences between clocks.
    chance = ct.STANDARD_ERRORS * math.sqrt(truth["started"]) * INTERVAL_NS / 2
    after_exit = books["unseen_ns"].get("after_exit", 0)
    ct.residual_within(books, (chance + after_exit / 2) / books["cpu_ns"] + 0.01, str(jdk))
    left = after_exit / truth["started"]
    ct.ok(left > LEAST_AFTER_EXIT_NS, f"{jdk}: {left / 1000:.1f} us per thread are booked after its end", books)
    told = sum(cpu for name, cpu, _ in recording.thread_cpu.values() if name == "churn")
    ct.ok(truth["burn_ns"] < told < books["cpu_ns"],
          f"{jdk}: their clocks in the recording, {told / 1e9:.2f} s, hold the {truth['burn_ns'] / 1e9:.2f} s they burnt")


def main():
    ct.need()
    for jdk in ct.jdks():
        churn(jdk)
    ct.done()


main()
