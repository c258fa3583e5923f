#!/usr/bin/env python3
"""Stubs, string intrinsics and lambdas: fewer than 1 % of a load's samples lack Java frames, and the leaf is the
right one.

tier: default
timeout: 900

Each load runs in a separate thread, so its samples are known. Bounds: samples without a Java frame < 1 % (at least 2,000 samples for
each load, and 3,200 if the machine does not stall: a true rate of 0.25 % fails with probability < 1e-6). The leaf Java method is the
expected one in >= 97 %: the others read the clock between batches, or are the first, interpreted ones. The heap is small, so that its
pages are soon in memory: the first access to a page is a page fault in the kernel, which an ordinary user does not see (otherwise 0.4
of JDK 8's concat).
"""
import collections
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SECONDS = 1.6 if os.geteuid() == 0 else 3  # CPU time for each load; an ordinary user's clock does not run in the kernel
HEAP = ("-Xms96m", "-Xmx96m", "-Xmn24m")

LEAF = {
    "arraycopy": r"Intrinsics\.arraycopy|java\.lang\.System\.arraycopy",
    "smallcopy": r"Intrinsics\.smallcopy|java\.lang\.System\.arraycopy",
    "crc32": r"java\.util\.zip\.CRC32\.\w+|Intrinsics\.crc32",
    "fill": r"java\.util\.Arrays\.(fill|rangeCheck)|Intrinsics\.fill",
    "string": r"java\.lang\.(String|StringLatin1|StringUTF16|StringCoding\S*|System|Object|ThreadLocal|ref\.SoftReference)\.\S+"
              r"|java\.util\.Arrays\.copy\w+|sun\.nio\.cs\.ISO_8859_1\S+|java\.nio\.charset\.\S+"
              r"|jdk\.internal\.util\.(ArraysSupport|Preconditions)\.\S+"
              r"|Intrinsics\.string",
    "concat": r"java\.lang\.(String\w*|AbstractStringBuilder|Integer|Long|Object|Math|System|StringConcatHelper\S*"
              r"|invoke\.\S+|CharacterData\w*)\.\S+|java\.util\.Arrays\.\w+|jdk\.internal\.(misc|util)\.\S+"
              r"|Intrinsics\.concat",
    "lambda": r"Intrinsics\.(lambda\S*|lambda)|Intrinsics\$\$Lambda\S*|java\.util\.function\.IntUnaryOperator\S*"
              r"|java\.lang\.invoke\.\S+|java\.util\.Objects\.\w+",
    "stream": r"(java|jdk)\.\S+|Intrinsics\.\S+|Intrinsics\$\$Lambda\S*",
}


def check(what, path, truth):
    recording = ct.Recording(path)
    for load, pattern in LEAF.items():
        samples = recording.of_thread(f"load-{load}")
        weight = sum(sample.weight for sample in samples)
        bare = [sample for sample in samples if not sample.has_java]
        ct.rate_below(len(bare), len(samples), 0.01, f"{what}, {load}: samples without a Java frame",
                      common((sample.outcome, sample.state, *sample.frames[:1]) for sample in bare))
        leaves = collections.Counter(sample.leaf for sample in samples if sample.has_java)
        good = sum(count for leaf, count in leaves.items() if re.fullmatch(pattern, leaf))
        total = sum(leaves.values())
        ct.ok(good >= 0.97 * total > 0, f"{what}, {load}: {good} of {total} leaves as expected",
              "\n".join(f"{count} {leaf}" for leaf, count in leaves.most_common(12)))
        ct.weights_add_up(recording, weight / truth[load], 0.02, f"{what}, {load}")


def common(things):
    return "\n".join(f"{count} {thing}" for thing, count in collections.Counter(things).most_common(8))


def at_start(jdk):
    path = ct.WORK / f"start-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Intrinsics", flags=HEAP, agent=ct.agent_options(file=path, interval="500us")) as jvm:
        jvm.expect("ready")
        truth = jvm.round(seconds=SECONDS)
        ct.ok(jvm.finish() == 0, f"{jdk}, at start: the program ends normally", jvm.transcript())
    check(f"{jdk}, at start", path, truth)


def attached(jdk):
    path = ct.WORK / f"attached-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Intrinsics", flags=HEAP) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=0.3)
        result = ct.attach(jvm, path, "500us")
        if not ct.ok(result.status == 0, f"{jdk}, attached: the recording starts", result):
            return
        truth = jvm.round(seconds=SECONDS)
        result = ct.candor("stop", jvm.pid)
        ct.ok(result.status == 0, f"{jdk}, attached: the recording stops", result)
    check(f"{jdk}, attached", path, truth)


def main():
    ct.need()
    for jdk, way in ct.spread(ct.jdks(), (at_start, attached)):
        way(jdk)
    ct.done()


main()
