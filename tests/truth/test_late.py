#!/usr/bin/env python3
"""After a late attach, frames are marked as approximate if their code was compiled before and was interrupted there, and no other frames
are.

tier: default
timeout: 600

One load of Places.java has run before the agent comes, and another begins afterwards. Of the samples in compiled code, most of the
first load's are approximate (except in code that the JVM has compiled again), and few of the second's (in code that it shares with
the first). With at least 300 samples the bounds of 1/2 and 1/10 hold with a probability of error below 1e-6 if the true shares are
above 2/3 and below 1/30.
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

BEFORE, AFTER = "lambda", "megamorphic"
SECONDS = 1 if os.geteuid() == 0 else 2
COMPILED = ct.JAVA_FRAMES - {"Interpreted"}


def innermost(sample):
    """The kind of the interrupted frame, below the kernel's frames."""
    return next((kind for _, kind, _ in sample.frames if kind != "Kernel"), None)


def shares(path):
    """By load: samples in compiled code, and those of them that are approximate; samples with an approximate caller."""
    recording, found = ct.Recording(path), {}
    for load in (BEFORE, AFTER):
        kinds = [innermost(sample) for sample in recording.of_thread(f"place-{load}")]
        found[load] = (sum(kind in COMPILED for kind in kinds), sum(kind in ct.APPROXIMATE_FRAMES for kind in kinds))
    wrong = [sample for sample in recording.samples if any(kind in ct.APPROXIMATE_FRAMES for kind in callers_of(sample))]
    return recording, found, wrong


def callers_of(sample):
    """The kinds of the frames behind the interrupted code, even if a signal whose handler is in the sample interrupted it."""
    frames = [(name, kind) for name, kind, _ in sample.frames if kind != "Kernel"]
    handlers = [i for i, (name, _) in enumerate(frames) if name.startswith("libcandor.")]
    kinds = [kind for _, kind in (frames[handlers[-1] + 2:] if handlers else frames)]  # the C library's return path follows it
    own = next((i for i, kind in enumerate(kinds) if "Inlined" not in kind), len(kinds))
    return kinds[own + 1:]


def recorded(result, what):
    ct.ok(result.status == 0, f"{what}: the recording starts, or ends", result)


def work(jvm, *loads):
    for load in loads:
        jvm.round(load=load, seconds=SECONDS)


def late(jdk, again):
    what, path = f"{jdk}, attached late" + (" again" if again else ""), ct.WORK / f"late-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Places") as jvm:
        jvm.expect("ready")
        work(jvm, BEFORE)
        if again:
            recorded(ct.attach(jvm, ct.WORK / "first.jfr", "1ms", "--heal", "off"), what)
            recorded(ct.candor("stop", jvm.pid), what)
        recorded(ct.attach(jvm, path, "1ms", "--heal", "off"), what)
        work(jvm, BEFORE, AFTER)
        recorded(ct.candor("stop", jvm.pid), what)
    recording, found, wrong = shares(path)
    for load, holds in ((BEFORE, lambda n, marked: marked > n / 2), (AFTER, lambda n, marked: marked < n / 10)):
        n, marked = found[load]
        ct.ok(n >= 300 and holds(n, marked), f"{what}, {load}: {marked} of {n} samples in compiled code are approximate")
    ct.ok(not wrong, f"{what}: callers are exact", wrong[:1] and wrong[0].frames)
    share = ct.report(path)["approximate_share"]
    weight = sum(sample.weight for sample in recording.samples if innermost(sample) in ct.APPROXIMATE_FRAMES)
    ct.ok(abs(share - weight / sum(sample.weight for sample in recording.samples)) < 1e-4 and recording.settings["debug_info"] == "sparse",
          f"{what}: the report tells the share: {share:.3f}")
    text = ct.candor("report", path).out
    ct.ok(f"for {100 * share:.1f} % of the time" in text, f"{what}: so does its text", text)


def recompiled(jdk):
    """Three recordings while the program works, each of which discards the code; the first's new code is not exact for the second."""
    what, path = f"{jdk}, recompiled", ct.WORK / f"recompiled-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Places") as jvm:
        jvm.expect("ready")
        work(jvm, BEFORE)
        for i in range(3):
            recorded(ct.attach(jvm, path, "1ms", *(("--heal", "now") if i else ("--recompile",))), what)
            work(jvm, BEFORE)
            recorded(ct.candor("stop", jvm.pid), what)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    recording, found, _ = shares(path)
    n, marked = found[BEFORE]
    ct.ok(n >= 300 and marked < n / 10, f"{what}: {marked} of {n} samples in compiled code are approximate")


def exact(jdk, what, **start):
    path = ct.WORK / f"exact-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Places", **start) as jvm:
        jvm.expect("ready")
        work(jvm, BEFORE)
        recorded(ct.attach(jvm, path, "1ms"), what)
        work(jvm, BEFORE)
        recorded(ct.candor("stop", jvm.pid), what)
    recording, found, _ = shares(path)
    n, marked = found[BEFORE]
    ct.ok(n >= 300 and not marked and recording.settings["debug_info"] == "full",
          f"{jdk}, {what}: {marked} of {n} samples in compiled code are approximate", recording.settings)


def main():
    ct.need()
    for i, jdk in enumerate(ct.jdks()):
        late(jdk, again=i % 2)
        recompiled(jdk)
    for jdk, (what, start) in ct.spread(ct.jdks(), [
            ("the agent from the start", {"agent": ct.agent_options()}),
            ("full debug information by the operator's word",
             {"flags": ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"]})]):
        exact(jdk, what, **start)
    ct.done()


main()
