#!/usr/bin/env python3
"""The walker with the flags that change what it sees: every collector of each JDK, every way of compiling, other layouts of objects,
headers and the code cache.

tier: default
timeout: 900

For each flag and JDK, a JVM runs intrinsics, then an ordinary load that allocates. Both walkers agree as in test_walker.py. Of the
load's samples fewer than 2 % lack a Java frame (with at least 1,000 samples, a true rate of 0.5 % fails with a probability < 1e-6),
and fewer than 2 % of the others begin elsewhere than where their thread began. The books balance. In tier all every flag runs on
every JDK that has it.
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

UNLOCK = "-XX:+UnlockExperimentalVMOptions"
FLAGS = {
    "Serial": ["-XX:+UseSerialGC"],
    "Parallel": ["-XX:+UseParallelGC"],
    "CMS": ["-XX:+UseConcMarkSweepGC"],
    "G1": ["-XX:+UseG1GC"],
    "ZGC": [UNLOCK, "-XX:+UseZGC"],
    "generational ZGC": ["-XX:+UseZGC", "-XX:+ZGenerational"],
    "Shenandoah": [UNLOCK, "-XX:+UseShenandoahGC"],
    "generational Shenandoah": [UNLOCK, "-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational"],
    "interpreter": ["-Xint"],
    "C1": ["-XX:TieredStopAtLevel=1"],
    "C1 with counters": ["-XX:TieredStopAtLevel=2"],
    "C1 with profiles": ["-XX:TieredStopAtLevel=3"],
    "C2": ["-XX:-TieredCompilation"],
    "wide pointers": ["-XX:-UseCompressedOops"],
    "compact headers": [UNLOCK, "-XX:+UseCompactObjectHeaders"],
    "one code heap": ["-XX:-SegmentedCodeCache"],
    "large code cache": ["-XX:ReservedCodeCacheSize=2g"],
    "frame pointers": ["-XX:+PreserveFramePointer"],
}
# With frame pointers, AsyncGetCallTrace trusts the frame pointer of a native function, even if Java calls it as a leaf. The sorting library
# of JDK 24 and later (libsimdsort.so) does not set it, so its caller is left out: in 0.4 to 2.5 % of all samples.
MAY_DIFFER = {"frame pointers": 0.1}
# JDK 11's AsyncGetCallTrace ends at some calls that compiled code is about to make: in a fifth of the samples if C2 compiles everything.
# That our longer lists are right is shown without it, by where they begin.
MAY_END = {11: 0.5}
BEGINNINGS = ("java.lang.Thread.run", "java.lang.Thread.exit", "java.lang.Thread.runWith")
SECONDS = 0.6  # CPU time in each thread


def knows(jdk, name):
    """Whether this JDK has the flag, according to the JDK itself."""
    result = ct.run(jdk.java, *FLAGS[name], "-version")
    return result.status == 0 and "removed" not in result.err


def first_java(sample):
    """The method that the thread began with, according to the sample's stack."""
    return next((name for name, kind, _ in reversed(sample.frames) if kind in ct.JAVA_FRAMES), None)


def check(jdk, name):
    what, path = f"{jdk}, {name}", ct.WORK / "flags.jfr"
    agent = ct.agent_options(file=path, interval="250us", walker="compare")
    with ct.Jvm(jdk, "Mixed", agent=agent, flags=["-Xmx256m", *FLAGS[name]]) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=SECONDS)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    recording, report = ct.Recording(path), ct.report(path)
    ct.walkers_agree(report, 1000, what, may_differ=MAY_DIFFER.get(name, 0.02),
                     may_end=MAY_END.get(jdk.version, 0.15))
    samples = [sample for sample in recording.samples if (sample.thread or "").startswith("mixed-")]
    bare = [sample for sample in samples if not sample.has_java]
    ct.rate_below(len(bare), len(samples), 0.02, f"{what}: samples without a Java frame",
                  collections.Counter((s.outcome, s.state, *s.frames[:1]) for s in bare).most_common(8))
    lost = [sample for sample in samples if sample.has_java and first_java(sample) not in BEGINNINGS]
    ct.rate_below(len(lost), len(samples), 0.02, f"{what}: stacks that do not begin where the thread began",
                  collections.Counter(map(first_java, lost)).most_common(8))
    ct.identity_closes(report["books"], what)


def main():
    ct.need()
    jdks = ct.jdks()
    if ct.TIER == "all":
        cases = [(jdk, name) for jdk in jdks for name in FLAGS if knows(jdk, name)]
    else:
        # Each flag once, with the JDKs that have it in turn.
        cases = []
        for i, name in enumerate(ct.by_turns(list(FLAGS))):
            turns = jdks[i % len(jdks):] + jdks[:i % len(jdks)] if jdks else []
            cases += next(([(jdk, name)] for jdk in turns if knows(jdk, name)), [])
    missing = set(ct.by_turns(list(FLAGS))) - {name for _, name in cases}
    ct.ok(not missing or len(jdks) < len(ct.VERSIONS), "every flag is known to some JDK", missing)
    for jdk, name in cases:
        check(jdk, name)
    ct.done()


main()
