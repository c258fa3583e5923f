#!/usr/bin/env python3
"""Our stack walker compared with AsyncGetCallTrace on the same samples, and AsyncGetCallTrace used instead of our walker.

tier: default
timeout: 600

If both find Java frames, the lists must be the same in 98 of 100 samples, except those that only AsyncGetCallTrace ends early
(docs/internals/hotspot.md). A known difference is a neighboring scope of an inlined method in stubs. With at least 3,000 samples a
true rate of 1 % gives more than 2 % with a probability < 1e-6. AsyncGetCallTrace may fail where our walker succeeds (stubs); the
reverse is rare: up to 0.1 % was measured.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct


def record(jdk, walker, program, interval, **go):
    path = ct.WORK / f"{walker}-{program}-{jdk.version}.jfr"
    with ct.Jvm(jdk, program, agent=ct.agent_options(file=path, interval=interval, walker=walker)) as jvm:
        jvm.expect("ready")
        jvm.round(**go)
        jvm.finish()
    return ct.report(path)


def compare(jdk):
    report = record(jdk, "compare", "Intrinsics", "250us", seconds=0.4)
    ct.walkers_agree(report, 3000, str(jdk))


def fallback(jdk):
    report = record(jdk, "agct", "TwoMethods", "500us", seconds=0.5)
    shares = {method["name"]: method["total_share"] for method in report["methods"]}
    ct.ok(report["settings"]["walker"] == "agct", f"{jdk}: the recording says which walker made it")
    ct.ok(any(name.startswith("TwoMethods.") and share > 0.3 for name, share in shares.items()),
          f"{jdk}: AsyncGetCallTrace's frames have names", str(sorted(shares.items(), key=lambda s: -s[1])[:8]))


def native(jdk):
    """Reads of /dev/zero: the samples end in C code, and the native method that called it keeps its name."""
    path = ct.WORK / f"native-{jdk.version}.jfr"
    with ct.Jvm(jdk, "KernelTime", agent=ct.agent_options(file=path, interval="500us")) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=0.5)
        jvm.finish()
    recording = ct.Recording(path)
    samples = recording.of_thread("kernel")
    reads = [sample for sample in samples if any("read" in name and kind == "Native" for name, kind, _ in sample.frames)]
    unknown = [sample for sample in samples if any(name.endswith("[unknown]") for name, _, _ in sample.frames)]
    named = [sample for sample in reads if any(re.match(r"(sun|java)\.\S+\.read", name) and kind == "Native"
                                               for name, kind, _ in sample.frames)]
    what = f"{jdk}: {len(named)} of {len(samples)} show the native method by name"
    if recording.settings.get("kernel") == "included":
        ct.ok(len(named) > 0.5 * len(samples) > 100, what)
    else:
        ct.skip(what, "the reads are in the kernel, which this user may not sample")
    ct.ok(not unknown, f"{jdk}: no frame without a name: {len(unknown)}", str(unknown[:1] and unknown[0].frames))


def main():
    for jdk in ct.jdks():
        native(jdk)
        compare(jdk)
        fallback(jdk)
    ct.done()


main()
