#!/usr/bin/env python3
"""The JVM's stubs, on a stack that contains return addresses of earlier calls: no sample is shown below one of these, and hardly any
stack is incomplete.

tier: default
timeout: 1800

Each kind of stub works in a separate thread and method, compiled, interpreted, and called by the interpreter for compiled code. A
sample in a stub must show a call from that method, and not from the method that leaves return addresses on the stack; this does not
depend on chance, so no sample may be wrong. At most one stack in a thousand may be incomplete: over all stubs of a JDK, plus five
standard errors. JDK 8's C1 calls the functions of Math after it has pushed registers (docs/internals/known-limits.md); these stacks
may be truncated.
"""
import collections
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SECONDS = 0.5 if ct.TIER == "all" else 0.12
# C2 does not know for each leaf call from which inlined method it came (docs/internals/known-limits.md); this is not tested here.
BY_THEMSELVES = ["-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Stubs.*"]
MODES = {"compiled": BY_THEMSELVES, "C1": ["-XX:TieredStopAtLevel=1"], "interpreted": ["-Xint"], "called": BY_THEMSELVES}
# In mode "called" compiled code calls the interpreter's own code for these.
INTRINSICS = {"_updateBytesCRC32": "java/util/zip/CRC32.updateBytes*", "_updateBytesCRC32C": "java/util/zip/CRC32C.updateBytes",
              "_dsin,_dcos,_dtan,_dexp,_dlog,_dlog10,_dpow": "java/lang/Math.*"}
NOT_WHOLE = 0.001
# Any compiled method may be in these; the names in JDK 8 to 27 also differ in capitals.
ON_THE_WAY = ("table stub", "adapters", "inlinecachebuffer", "wrong_method", "resolve_", "ic_miss", "runtime", "blob", "barrier")


def is_wrong(sample, method):
    """For a sample whose leaf is a stub: it was called from elsewhere. There are stubs between work() and the method, too."""
    java = [name for name, kind, _ in sample.frames if kind in ct.JAVA_FRAMES]
    if not java or any(name in sample.frames[0][0].lower() for name in ON_THE_WAY):
        return False
    return "litter" in java[0] or (method not in java and java[0] in ("Stubs.work", "Stubs.lambda$round$0"))


def flags(jdk, mode):
    if mode != "called":
        return MODES[mode]
    intrinsics = INTRINSICS if jdk.version > 8 else {"_updateBytesCRC32": INTRINSICS["_updateBytesCRC32"]}
    commands = [f"-XX:CompileCommand={command},{methods}" for methods in intrinsics.values() for command in ("exclude", "dontinline")]
    return [*MODES[mode], *commands, "-XX:+UnlockDiagnosticVMOptions", "-XX:DisableIntrinsic=" + ",".join(intrinsics)]


def check(jdk, mode):
    path = ct.WORK / f"stubs-{jdk.version}-{mode}.jfr"
    with ct.Jvm(jdk, "Stubs", agent=ct.agent_options(file=path, interval="500us"), flags=flags(jdk, mode)) as jvm:
        jvm.expect("ready")
        loads = jvm.round(seconds=SECONDS)["loads"].split(",")
        ct.ok(jvm.finish() == 0, f"{jdk}, {mode}: the program ends normally", jvm.transcript())
    recording = ct.Recording(path)
    wrong, in_stubs, bad = collections.Counter(), collections.Counter(), collections.Counter()
    for load in loads:
        for sample in recording.of_thread(f"stub-{load}"):
            if sample.outcome != "complete" and not (jdk.version == 8 and load == "math" and sample.outcome == "truncated"):
                bad[(load, sample.outcome, sample.state, *sample.frames[:3])] += 1
            stub = next((name for name, kind, _ in sample.frames[:1] if kind == "Stub"), None)
            in_stubs[stub] += 1
            if stub and is_wrong(sample, f"Stubs.{load}"):
                wrong[(load, stub, *(name for name, _, _ in sample.frames[1:5]))] += 1
    stubs = {name for name in in_stubs if name}
    total = sum(in_stubs.values())
    of_stubs = total - in_stubs[None]
    ct.note(f"{jdk}, {mode}: {dict(in_stubs.most_common(60))}")
    ct.ok(of_stubs > 20 and not wrong, f"{jdk}, {mode}: {of_stubs} of {total} samples in {len(stubs)} stubs, "
          f"{sum(wrong.values())} below a stale return address", common(wrong))
    expected = NOT_WHOLE * total
    most = expected + ct.STANDARD_ERRORS * math.sqrt(expected)
    ct.ok(sum(bad.values()) <= most, f"{jdk}, {mode}: {sum(bad.values())} of {total} stacks are not whole, at most {most:.0f} may",
          common(bad))


def common(counter):
    return "\n".join(f"{count} {thing}" for thing, count in counter.most_common(20))


def main():
    ct.need()
    for jdk, mode in ct.spread(ct.jdks(), list(MODES), each=2):
        check(jdk, mode)
    ct.done()


main()
