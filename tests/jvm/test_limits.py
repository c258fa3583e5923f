#!/usr/bin/env python3
"""Under tight limits the profiler uses less, and says so; the program does not notice.

tier: default
timeout: 600

Few descriptors, no queued signals, no locked memory, no perf_event_open, the smallest stacks.
"""
import os
import pathlib
import resource
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

WITHOUT_PERF = [sys.executable, str(ct.ROOT / "tests" / "lib" / "without_perf.py")]
DESCRIPTORS, THREADS = 160, 120


def started(jdk, what, jvm, path, **options):
    good, answer = jvm.control("start", file=path, interval="1ms", **options)
    ct.ok(good, f"{jdk}, {what}: a recording starts", answer)
    return answer if good else {}


def stopped(jdk, what, jvm, path):
    good, answer = jvm.control("stop")
    ct.ok(good and "error" not in answer, f"{jdk}, {what}: and stops", answer)
    ct.ok(jvm.finish() == 0, f"{jdk}, {what}: the program ends normally", jvm.transcript())
    recording, books = ct.Recording(path), ct.report(path)["books"]
    ct.identity_closes(books, f"{jdk}, {what}")
    return recording, books


def warned(jdk, what, recording, status, *words):
    """The recording says so, and so does the agent's status."""
    texts = [text for level, text in recording.log if level == "warning" and all(word in text for word in words)]
    ct.ok(texts and all(word in status.get("warning", "") for word in words),
          f"{jdk}, {what}: recording and status warn: {texts[-1:]}", (recording.log, status))


def few_descriptors(jdk):
    """Threads have events until the last quarter of the limit is reached, and timers after that: all are sampled, and descriptors are
    left for the program."""
    what, path = f"{DESCRIPTORS} descriptors", ct.WORK / f"descriptors-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Steady", agent=ct.agent_options(), wrapper=["prlimit", f"--nofile={DESCRIPTORS}:{DESCRIPTORS}"]) as jvm:
        jvm.expect("ready")
        own = len(jvm.fds())
        status = started(jdk, what, jvm, path)
        if status.get("clock") not in ("sigtrap", "signal"):
            ct.skip(f"{jdk}, {what}", f"no perf clock here, but {status.get('clock')}")
            return
        jvm.say(f"go threads={THREADS} seconds=0.1")  # long enough that all of them start before the first one ends
        ct.wait_until(lambda: "warning" in jvm.control("status")[1])
        events = sorted(int(fd) for fd, target in jvm.fds().items() if "perf_event" in target)
        beyond = [fd for fd in events if fd >= DESCRIPTORS - DESCRIPTORS // 4] # one is opened at a time, and closed again
        ct.ok(own < max(events) and len(beyond) <= 1, f"{jdk}, {what}: events take numbers up to {max(events)}", events)
        jvm.expect("done")
        status = jvm.control("status")[1]
        recording, books = stopped(jdk, what, jvm, path)
    warned(jdk, what, recording, status, "timer", "RLIMIT_NOFILE", os.strerror(24))
    ct.ok("no_clock" not in books["unseen_ns"], f"{jdk}, {what}: no thread is without a clock", books["unseen_ns"])
    seen = {sample.thread for sample in recording.samples if (sample.thread or "").startswith("steady-")}
    ct.ok(len(seen) > THREADS // 2, f"{jdk}, {what}: {len(seen)} of {THREADS} threads have samples")


def no_signals(jdk):
    """Timers need a place in the queue of signals. Threads that find none have no clock, and the books say so."""
    what, path = "no signals to queue", ct.WORK / f"signals-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Steady", agent=ct.agent_options(), wrapper=WITHOUT_PERF) as jvm:
        jvm.expect("ready")
        status = started(jdk, what, jvm, path)
        ct.ok(status.get("clock") == "timer", f"{jdk}, without perf_event_open: the clock is {status.get('clock')}", status)
        resource.prlimit(jvm.pid, resource.RLIMIT_SIGPENDING, (0, 0))
        truth = jvm.round(threads=4, seconds=0.3)
        ct.wait_until(lambda: "warning" in jvm.control("status")[1])
        status = jvm.control("status")[1]
        recording, books = stopped(jdk, what, jvm, path)
    warned(jdk, what, recording, status, "have no clock, and no samples", "RLIMIT_SIGPENDING")
    reason = recording.settings["clock_reason"]
    ct.ok("sigtrap" in reason and "seccomp filter" in reason, f"{jdk}, {what}: why no better clock: {reason}")
    unseen = books["unseen_ns"].get("no_clock", 0)
    ct.ok(unseen > 0.5 * truth["cpu_ns"], f"{jdk}, {what}: {unseen} ns are booked as without a clock", books)


def no_signals_at_start(jdk):
    """Not even one timer is possible: the process's own timer is left."""
    what, path = "no signals from the start", ct.WORK / f"itimer-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Steady", agent=ct.agent_options(), wrapper=["prlimit", "--sigpending=0:0", *WITHOUT_PERF]) as jvm:
        jvm.expect("ready")
        good, answer = jvm.control("start", file=path, clock="timer")
        ct.ok(not good and "timer" in answer, f"{jdk}, {what}: the clock 'timer' is refused by name", answer)
        status = started(jdk, what, jvm, path)
        ct.ok(status.get("clock") == "itimer", f"{jdk}, {what}: the clock is {status.get('clock')}", status)
        jvm.round(threads=2, seconds=0.3)
        recording, _ = stopped(jdk, what, jvm, path)
    ct.ok(len(recording.samples) > 10, f"{jdk}, {what}: {len(recording.samples)} samples")


def no_locked_memory(jdk):
    what, path = "no locked memory", ct.WORK / f"memlock-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Steady", agent=ct.agent_options(), wrapper=["prlimit", "--memlock=0:0"]) as jvm:
        jvm.expect("ready")
        started(jdk, what, jvm, path)
        jvm.round(threads=2, seconds=0.2)
        recording, _ = stopped(jdk, what, jvm, path)
    ct.ok(len(recording.samples) > 50, f"{jdk}, {what}: {len(recording.samples)} samples")


def small_stacks(jdk):
    what = "smallest stacks, overflowing"
    for clock in ("auto", "timer"):
        path = ct.WORK / f"stacks-{jdk.version}-{clock}.jfr"
        with ct.Jvm(jdk, "Overflow", agent=ct.agent_options()) as jvm:
            jvm.expect("ready")
            started(jdk, f"{what}, {clock}", jvm, path, clock=clock)
            truth = jvm.round(threads=4, seconds=0.4)
            recording, _ = stopped(jdk, f"{what}, {clock}", jvm, path)
        ct.ok(truth["overflows"] > 100 and len(recording.samples) > 100,
              f"{jdk}, {what}, {clock}: {truth['overflows']} overflows, {len(recording.samples)} samples")


def main():
    ct.need()
    limits = (few_descriptors, no_signals, small_stacks, no_signals_at_start, no_locked_memory)
    for jdk, limit in ct.spread(ct.jdks(), limits):
        limit(jdk)
    ct.done()


main()
