#!/usr/bin/env python3
"""Our stack walker compared with AsyncGetCallTrace in a JVM for AArch64, which an emulator runs instruction by instruction.

tier: all
timeout: 1200

The emulator delivers signals only between the blocks that it translates. QEMU_SINGLESTEP (newer versions: QEMU_ONE_INSN_PER_TB) makes
each instruction a block, so that every instruction can be interrupted. The emulator has no perf events; the clock is the threads'
timers.

As in test_walker: if both find Java frames, at most 2 of 100 lists may differ. The measured rate is 0.3 % of 4,000 samples; of 1,500
samples with a true rate of 0.7 %, more than 2 % differ with a probability < 1e-6. The same holds for failed walks, 0.2 %.
"""
import collections
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

AGENT = ct.ROOT / "build-aarch64" / "libcandor.so"
ROOT = ct.JDKS / "17-aarch64"
HOME = ROOT / "usr" / "lib" / "jvm" / "java-17-openjdk-arm64"

for path, remedy in ((AGENT, "script/build --aarch64"), (HOME, "script/jdk-aarch64")):
    if not path.exists():
        ct.skip("a JVM for AArch64", f"no {path}; run {remedy}")
        ct.done()

recording = ct.WORK / "aarch64.jfr"
with ct.Jvm(ct.Jdk("17 for AArch64", HOME), "Intrinsics", wrapper=("qemu-aarch64", "-L", ROOT),
            agent=ct.agent_options(AGENT, file=recording, interval="5ms", walker="compare"),
            flags=("-Xshare:off", "-XX:+UseSerialGC"),
            env=dict(os.environ, QEMU_SINGLESTEP="1", QEMU_ONE_INSN_PER_TB="1")) as jvm:
    jvm.expect("ready", timeout=600)
    jvm.say("go seconds=1")
    jvm.expect("done", timeout=600)
    status = jvm.finish(timeout=300)
    ct.ok(status == 0, "the JVM ends normally", jvm.transcript())

report = ct.report(recording)
verdicts = {name.removeprefix("walker_"): int(value) for name, value in report["settings"].items()
            if name.startswith("walker_")}
ct.note(f"{verdicts}; {report['settings']['clock']} clock")
both = sum(count for verdict, count in verdicts.items() if verdict not in ("only_walker", "only_agct", "neither"))
ct.ok(both >= 1500, f"both walkers found Java frames in {both} samples")
ct.ok(verdicts["identical"] >= 0.98 * both, f"{verdicts['identical']} of {both} frame lists are identical")
ct.ok(verdicts["identical"] + verdicts["inlined"] >= 0.99 * both, f"{verdicts['inlined']} more have the same frames")
ct.ok(verdicts["only_agct"] <= 0.005 * both, f"only AsyncGetCallTrace found frames: {verdicts['only_agct']}")
ct.ok(verdicts["only_walker"] > 10 * verdicts["only_agct"], f"only we found frames: {verdicts['only_walker']}")

books = report["books"]
failed = sum(books["failed"].values())
ct.ok(failed <= 0.02 * books["complete"], f"{failed} walks failed where {books['complete']} reached the root")
names = {method["name"] for method in report["methods"]}
wanted = {"Intrinsics.run", "Intrinsics.crc32", "Intrinsics.arraycopy", "java.lang.Thread.run"}
ct.ok(wanted <= names, "methods have their names", str(sorted(names)[:50]))

# AsyncGetCallTrace is compared by methods only. The position of an interpreted caller in its method is in its frame.
source = (ct.JAVA_SOURCES / "Intrinsics.java").read_text().splitlines()
call = 1 + next(number for number, line in enumerate(source) if "load.applyAsInt(" in line)
places = collections.Counter(
    line for sample in ct.Recording(recording).samples for callee, (name, kind, line) in zip(sample.frames, sample.frames[1:])
    if name == "Intrinsics.run" and kind == "Interpreted" and callee[0].endswith(".applyAsInt"))
ct.ok(places[call] >= 100 and len(places) == 1, f"interpreted callers stand where they call, line {call}", dict(places))
ct.done()
