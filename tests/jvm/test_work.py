#!/usr/bin/env python3
"""The work of the JVM's own threads is at the root of their stacks: which method is compiled, and which operation runs.

tier: default
timeout: 600

The truth is what the JVM itself prints into its log (PrintCompilation): a method that it did not print was not compiled, so not one
name may be wrong. Between two tasks a compiler thread waits for, prints or closes a task. Samples from before its first task, when it
prepares its compiler, are left out.
"""
import html
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

COMPILING = re.compile(r"JVM\.C([12]) compiling (.*?)(?: \(tier ([123])\))?$")
PRINTED = re.compile(r"^ *\d+ +\d+ [%sbn! ]+([1-4]) +(\S+)::(\S+)", re.MULTILINE)
# With the collector that the test chooses: young collections, and all operations of a concurrent cycle.
COLLECTION = re.compile(r"JVM\.(G1\w+|CGC_Operation|Collect\w+)$")
SECONDS = 2.5


def plain(name):
    """A class without a name of its own has a number. The JVM writes it after another character; up to JDK 11 it is an address, which is
    not a part of the name."""
    return re.sub(r"[/.+](0x)?[0-9a-f]+(?=\.)", "", name)


def compiled(log):
    """{(method, tier)} as the JVM printed them."""
    return {(plain(f"{owner}.{name}"), int(tier)) for tier, owner, name in PRINTED.findall(html.unescape(log.read_text()))}


def task_of(sample):
    """(method, tier) of the compilation at the root; None if there is none."""
    found = next((COMPILING.match(name) for name, kind, _ in sample.frames[-2:] if kind == "Pseudo"), None)
    return (plain(found[2]), int(found[3] or 4)) if found else None


def roots(samples):
    """All but a thread's first sample: that may have come before the thread had its name, by which its role is recognized."""
    first = {}
    for sample in sorted(samples, key=lambda sample: sample.start):
        first.setdefault(sample.tid, sample)
    return {sample.frames[-1][:2] for sample in samples if sample.outcome in ct.WALKED and
            (sample is not first[sample.tid] or sample.frames[-1][1] == "Pseudo")}


def check_compilers(samples, printed, what):
    compilers = [s for s in samples if not s.of_java and re.match("C[12] Comp", s.thread or "") and s.outcome in ct.WALKED]
    tasks = {task_of(s) for s in compilers} - {None}
    ct.ok(roots(compilers) <= {("JVM.[JIT]", "Pseudo")}, f"{what}: compiler threads have a separate root", roots(compilers))
    ct.ok(len(tasks) >= 20 and not tasks - printed, f"{what}: {len(tasks)} methods, each of which the JVM has compiled",
          f"{sorted(tasks - printed)}\n{sorted(printed)[:20]}")
    begun, known, total, inside, lost = set(), 0, 0, 0, []
    for sample in sorted(compilers, key=lambda s: s.start):
        task = task_of(sample)
        begun |= {sample.tid} if task else set()
        if sample.tid not in begun:
            continue
        total += 1
        known += bool(task)
        if any(name.endswith("Compiler::compile_method") for name, _, _ in sample.frames):
            inside += 1
            lost += [] if task else [sample.frames]
    ct.rate_below(total - known, total, 0.08, f"{what}: samples of compiler threads without a task")
    if inside:
        ct.rate_below(len(lost), inside, 0.08, f"{what}: of those in a compiler", lost[:3])
    return compilers


def check_operations(recording, what):
    vm = [s for s in recording.of_thread("VM Thread") if s.outcome in ct.WALKED]
    collectors = [s for s in recording.samples if re.match("GC Thread#|Gang worker#", s.thread or "") and s.outcome in ct.WALKED]
    ct.ok(("JVM.[GC]", "Pseudo") in roots(collectors) <= {("JVM.[GC]", "Pseudo"), ("JVM.[VM operation]", "Pseudo")},
          f"{what}: threads that collect garbage have a root, also when they help with something else", roots(collectors))
    named = {s.frames[-2][0] for s in vm + collectors if s.frames[-1][0] == "JVM.[GC]" and s.frames[-2][1] == "Pseudo"}
    if recording.settings["vm_operations"] == "unknown":
        ct.ok(not named, f"{what}: without symbols no operation is named", named)
        return
    ct.ok(named and all(map(COLLECTION.match, named)), f"{what}: the operations that collect garbage: {sorted(named)}")
    others = {s.frames[-2][0] for s in vm + collectors if s.frames[-1][0] == "JVM.[VM operation]"}
    ct.ok(not any(map(COLLECTION.match, others)), f"{what}: other operations: {sorted(others)}")


def check(jdk):
    what, path, log = str(jdk), ct.WORK / f"work-{jdk.version}.jfr", ct.WORK / f"compiled-{jdk.version}.log"
    flags = ["-XX:+PrintCompilation", "-XX:+UnlockDiagnosticVMOptions", "-XX:+LogVMOutput", "-XX:-DisplayVMOutput",
             f"-XX:LogFile={log}", "-XX:+UseG1GC", "-Xmx48m"]
    with ct.Jvm(jdk, "Mixed", agent=ct.agent_options(file=path, interval="1ms"), flags=flags) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=SECONDS)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    recording = ct.Recording(path)
    known = check_compilers(recording.samples, compiled(log), what)
    check_operations(recording, what)
    wrong = [s for s in recording.samples if s not in known and task_of(s)]
    ct.ok(not wrong, f"{what}: no other thread compiles", [(s.thread, s.frames[-2:]) for s in wrong[:3]])
    program = {kind for s in recording.samples if s.of_java for _, kind, _ in s.frames}
    ct.ok("Pseudo" not in program, f"{what}: Java's own threads have none of this", program)


def main():
    ct.need()
    for jdk in ct.jdks():
        check(jdk)
    ct.done()


main()
