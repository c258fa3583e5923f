#!/usr/bin/env python3
"""Candor beside other profilers: JDK Flight Recorder, also with the CPU-time sampler of JDK 25, and async-profiler. Whichever starts
first, both show the true shares, and when one ends the other continues.

tier: default
timeout: 600

Both profile TwoMethods, with a true share of 0.7. Our share must be within five standard errors of its effective sample size. The
shares of Flight Recorder and async-profiler must be within five of theirs, and 10 points more for the time that they cannot see (the
poll of a loop, ticks).
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SECONDS = 1  # CPU time in each of two threads, for each round
THEIR_BIAS = 0.1


def leaves(path, jdk, event):
    """How often each method is at the leaf, according to the JDK's own tool."""
    counts, at_top = collections.Counter(), False
    for line in ct.run(jdk.jfr, "print", "--events", event, "--stack-depth", "1", path).out.splitlines():
        if at_top:
            counts[line.strip().split("(")[0]] += 1
        at_top = "stackTrace = [" in line
    return counts


def check_theirs(counts, truth, what):
    heavy, light = counts["TwoMethods.heavy"], counts["TwoMethods.light"]
    size = heavy + light
    share, true_share = heavy / max(size, 1), truth["heavy_ns"] / (truth["heavy_ns"] + truth["light_ns"])
    bound = ct.STANDARD_ERRORS * (true_share * (1 - true_share) / max(size, 1)) ** 0.5 + THEIR_BIAS
    ct.ok(size > 20 and abs(share - true_share) < bound, f"{what}: {size} samples, share {share:.3f}, truth {true_share:.3f}", counts)


def check_ours(path, truth, what):
    recording, books = ct.Recording(path), ct.report(path)["books"]
    heavy, light = ([s.weight for s in recording.samples if s.leaf == name] for name in ("TwoMethods.heavy", "TwoMethods.light"))
    true_share = truth["heavy_ns"] / (truth["heavy_ns"] + truth["light_ns"])
    ct.ok(sum(heavy + light) > 0.9 * truth["cpu_ns"], f"{what}: {sum(heavy + light) / 1e6:.0f} of {truth['cpu_ns'] / 1e6:.0f} ms were seen")
    ct.share_agrees(sum(heavy) / max(sum(heavy + light), 1), true_share, ct.effective_size(heavy + light), what)
    ct.identity_closes(books, what)


def jcmd(jvm, *command):
    result = ct.run(jvm.jdk.jcmd, jvm.pid, *command)
    return result.status == 0 and "Exception" not in result.out, result


def flight_start(jvm, name):
    cpu_time = ["jdk.CPUTimeSample#enabled=true", "jdk.CPUTimeSample#throttle=10ms"] if jvm.jdk.version >= 25 else []
    good, result = jcmd(jvm, "JFR.start", f"name={name}", "jdk.ExecutionSample#period=10ms", *cpu_time)
    return ct.ok(good, f"{jvm.jdk}: Flight Recorder starts ({name})", result)


def flight_stop(jvm, name):
    path = ct.WORK / f"{name}-{jvm.jdk.version}.jfr"
    good, result = jcmd(jvm, "JFR.stop", f"name={name}", f"filename={path}")
    ct.ok(good, f"{jvm.jdk}: and stops ({name})", result)
    return path


def flight_recorder(jdk):
    """A recording of the other profiler begins before ours and ends while ours runs; another one begins beside ours and continues after
    it."""
    event = "jdk.CPUTimeSample" if jdk.version >= 25 else "jdk.ExecutionSample"
    ours = ct.WORK / f"beside-{jdk.version}.jfr"
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        if not flight_start(jvm, "first"):
            return
        good, answer = jvm.control("start", file=ours, interval="1ms")
        ct.ok(good, f"{jdk}: ours starts beside it", answer)
        both = jvm.round(seconds=SECONDS)
        first = flight_stop(jvm, "first")
        flight_start(jvm, "second")
        also = jvm.round(seconds=SECONDS)
        good, answer = jvm.control("stop")
        ct.ok(good, f"{jdk}: ours stops", answer)
        after = jvm.round(seconds=SECONDS)
        second = flight_stop(jvm, "second")
        ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())
    check_ours(ours, {key: both[key] + also[key] for key in both}, f"{jdk}, ours")
    check_theirs(leaves(first, jdk, event), both, f"{jdk}, {event} that began before us")
    check_theirs(leaves(second, jdk, event), {key: also[key] + after[key] for key in also}, f"{jdk}, {event} that ended after us")


def async_profiler(jdk, library, event, first):
    what = f"{jdk}, async-profiler ({event}) {'before' if first else 'after'} us"
    ours, theirs = ct.WORK / f"ours-{event}.jfr", ct.WORK / f"theirs-{event}.jfr"
    agents = [f"-agentpath:{library}=start,event={event},interval=1ms,jfr,file={theirs}",
              ct.agent_options(file=ours, interval="1ms")]
    with ct.Jvm(jdk, "TwoMethods", flags=agents if first else agents[::-1]) as jvm:
        jvm.expect("ready")
        truth = jvm.round(seconds=SECONDS)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    check_ours(ours, truth, what)
    check_theirs(leaves(theirs, ct.jdk(25), "jdk.ExecutionSample"), truth, what)


def hooks(jdk, library):
    """Both write their hooks into the tables of the JVM's library. The other profiler has made these tables writable, and they must stay
    writable."""
    theirs = ct.WORK / "hooks-theirs.jfr"
    with ct.Jvm(jdk, "TwoMethods", flags=["-XX:+EnableDynamicAgentLoading"], agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        for turn in ("first", "second"):
            good, result = jcmd(jvm, "JVMTI.agent_load", library, f'"start,event=cpu,interval=1ms,jfr,file={theirs}"')
            ct.ok(good and "return code: 0" in result.out, f"{jdk}: async-profiler starts, the {turn} time", result)
            jvm.start(ct.WORK / "hooks-ours.jfr", event="lock")
            jvm.ask("stop")
            jcmd(jvm, "JVMTI.agent_load", library, f'"stop,file={theirs}"')
        truth = jvm.round(seconds=1)
        ct.ok(truth["cpu_ns"] and jvm.finish() == 0, f"{jdk}, hooks of both: the program ends normally", jvm.transcript())


def main():
    ct.need()
    for version in ct.by_turns((17, 25, 27)):
        if ct.jdk(version):
            flight_recorder(ct.jdk(version))
    library = ct.async_profiler()
    for event, first in ct.by_turns((("cpu", True), ("cpu", False), ("ctimer", True), ("itimer", False))) if library else ():
        async_profiler(ct.jdk(25), library, event, first)
    if library:
        hooks(ct.jdk(25), library)
    ct.done()


main()
