#!/usr/bin/env python3
"""Virtual threads with every collector: to which thread a sample belongs, and whole stacks, even if most of a stack is in the heap.

tier: default
timeout: 900

In VirtualThreads the name of a thread, its method and its depth belong together. If a sample has such a method on the stack, the name
must be that method's: without exception if the stack is whole, and in 999 of 1,000 of all samples (a stack that is cut may end in a
frame left over from an earlier call: 3 in 100,000 were measured; of 10,000 more than 10 occur with a probability < 1e-9). In 99 of
100 samples stacks must be whole, or cut for a named reason (999 of 1,000 were measured; of 300, the fewest required, 3 more than the
bound occur with a probability < 1e-5). A stack on which the work is visible has exactly the method's depth. With ZGC names and heap
objects are unreadable for moments: then the sample must say that they are unknown.
"""
import collections
import contextlib
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import jfrfile

DEPTHS = {"alpha": 10, "beta": 30, "gamma": 200, "delta": 20, "epsilon": 15, "zeta": 5}
OLDER = dict.fromkeys((8, 11, 17), "has no virtual threads")
COLLECTORS = {
    "Serial": ["-XX:+UseSerialGC"],
    "Parallel": ["-XX:+UseParallelGC"],
    "G1": ["-XX:+UseG1GC"],
    "ZGC": ["-XX:+UseZGC"],
    "generational ZGC": ["-XX:+UseZGC", "-XX:+ZGenerational"],
    "Shenandoah": ["-XX:+UseShenandoahGC"],
    "wide pointers": ["-XX:+UseG1GC", "-XX:-UseCompressedOops"],
    "wide classes": ["-XX:+UseSerialGC", "-XX:-UseCompressedClassPointers"],
    "interpreter": ["-XX:+UseG1GC", "-Xint"],
    "other headers": ["-XX:+UseG1GC"],  # see flags_of
}
STOPS_THE_WORLD = {"Serial", "Parallel", "G1", "wide pointers", "wide classes", "interpreter", "other headers"}
UNKNOWN = "[unknown virtual thread]"
ENTRY = "jdk.internal.vm.Continuation.enter"
ROUNDS = 120
CPU_NS = (4 if ct.TIER == "all" else 0.2 if os.geteuid() == 0 else 0.4) * 1e9  # a part of it is in the kernel
REASONS = {"thawing", "frozen"}
THREADS = 2  # per group


def flags_of(jdk, name):
    if name == "other headers":
        return [*COLLECTORS[name], f"-XX:{'-' if jdk.version >= 27 else '+'}UseCompactObjectHeaders"]
    return COLLECTORS[name]


def knows(jdk, name):
    result = ct.run(jdk.java, *flags_of(jdk, name), "-version")
    return result.status == 0 and "removed" not in result.err and "obsolete" not in result.err


def carriers_ns(jvm):
    """CPU time of all carriers, whose names are cut by the kernel: ForkJoinPool-1-, or ForkJoi..rker-1."""
    spent = 0
    for task in (pathlib.Path(f"/proc/{jvm.pid}/task/{tid}") for tid in jvm.threads()):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # other threads may end meanwhile
            if (task / "comm").read_text().startswith(("ForkJoinPool", "ForkJoi..rker")):
                spent += int((task / "schedstat").read_text().split()[0])
    return spent


def record(jdk, name, path, **options):
    """Rounds until the carriers have used CPU_NS, which determines the number of samples, however fast the processor is. Returns the
    number of rounds."""
    flags = ["-Xmx96m", *flags_of(jdk, name)]
    agent = ct.agent_options(file=path, interval="250us", **options)
    rounds = 0
    with ct.Jvm(jdk, "VirtualThreads", agent=agent, flags=flags) as jvm:
        jvm.expect("ready")
        while carriers_ns(jvm) < CPU_NS:
            jvm.round(threads=THREADS, rounds=ROUNDS // 8 if name == "interpreter" else ROUNDS)
            rounds += 1
        ct.ok(jvm.finish() == 0, f"{jdk}, {name}: the program ends normally", jvm.transcript())
    return rounds


class Seen:
    """One sample, with the fields that this test needs."""

    def __init__(self, event):
        self.sample = ct.Sample(event)
        thread = event.get("eventThread") or {}
        self.virtual, self.name, self.id = thread.get("virtual"), thread.get("javaName"), thread.get("javaThreadId")
        self.carrier = (event.get("carrierThread") or {}).get("javaName")
        frames = [name for name, _, _ in self.sample.frames]
        steps = [name.split("$")[1].split(".")[0] for name in frames
                 if name.startswith("VirtualThreads$") and name.endswith(".step")]
        self.groups, self.depth = set(steps), len(steps)
        self.works = "VirtualThreads.burn" in frames
        self.root = frames[-1] if frames else ""

    @property
    def is_whole(self):
        return self.sample.outcome == "complete"

    @property
    def cut_for(self):
        return self.root.split(".")[0] if self.sample.outcome == "truncated" else None

    def identity(self):
        """right; unknown, and marked as unknown; or wrong."""
        group = next(iter(self.groups))
        if not self.virtual or len(self.groups) != 1:
            return "wrong"
        if self.name == UNKNOWN:
            return "unknown"
        if not self.name:
            return ("right" if group == "zeta" else "nameless") if self.id else "wrong"
        return "right" if self.name.startswith(f"{group}-") and self.id else "wrong"

    def __str__(self):
        return f"{self.name} {self.id} {self.sample.outcome} {self.depth} of {self.groups}: {self.sample.frames[:4]} {self.root}"


def check(jdk, name, path):
    what = f"{jdk}, {name}"
    seen = [Seen(event) for event in jfrfile.events(path, {"candor.CpuSample"})]
    work = [one for one in seen if one.groups]
    whole = [one for one in work if one.is_whole]
    named = [one for one in work if one.cut_for in REASONS]
    identities = collections.Counter(one.identity() for one in work)
    ct.note(f"{what}: {len(work)} samples at work, {len(whole)} whole, {len(named)} cut for a reason, {dict(identities)}")
    ct.ok(len(work) >= 300, f"{what}: {len(work)} samples at work")
    rest = [one for one in work if not one.is_whole and one.cut_for not in REASONS]
    ct.ok(len(rest) <= 0.01 * len(work), f"{what}: {len(rest)} of {len(work)} stacks neither whole nor cut for a reason",
          "\n".join(map(str, rest)))
    if name in STOPS_THE_WORLD:
        # Thawing takes less than a microsecond, but the program does little else.
        ct.ok(len(named) <= 0.06 * len(work), f"{what}: {len(named)} of {len(work)} stacks are cut", "\n".join(map(str, named[:20])))
        few = 0.001 * len(work) + 5  # while a collection runs, and a thread below waits for it
        ct.ok(identities["unknown"] + identities["nameless"] <= few, f"{what}: the thread is known", identities)
    wrong = [one for one in whole if one.identity() == "wrong"]
    ct.ok(not wrong, f"{what}: every whole stack is its thread's", "\n".join(map(str, wrong)))
    shallow = [one for one in whole if one.root != ENTRY or (one.works and one.depth != DEPTHS[next(iter(one.groups))])]
    ct.ok(not shallow, f"{what}: every whole stack has its depth, and ends at the entry", "\n".join(map(str, shallow)))
    carried = [one for one in work if one.virtual and not (one.carrier or "").startswith("ForkJoinPool")]
    ct.ok(not carried, f"{what}: every virtual thread has a carrier", "\n".join(map(str, carried[:5])))
    others = [one for one in seen if not one.virtual and one.carrier]
    ct.ok(not others, f"{what}: no other thread has", "\n".join(map(str, others[:5])))
    return len(work), identities["wrong"]


def read_by_others(jdk, path, count):
    """Reads it with the JDK's own tool, and with our report."""
    printed = ct.run(jdk.jfr, "print", "--events", "jdk.ExecutionSample", path)
    ct.ok(", virtual)" in printed.out and '"gamma-' in printed.out, f"{jdk}: jfr print shows virtual threads",
          printed.out[:2000] + printed.err[:500])
    threads = {thread["name"]: thread for thread in ct.report(path)["threads"]}
    counts = {group: threads.get(f"{group}-*", {}).get("virtual_threads") for group in DEPTHS if group != "zeta"}
    wanted = {group: count for group in counts} | {"epsilon": 2 * count}
    ct.ok(counts == wanted, f"{jdk}: the report counts threads by the pattern of their names", counts)
    ct.ok(threads.get("[unnamed virtual threads]", {}).get("virtual_threads") == count, f"{jdk}: and those without a name")
    text = ct.candor("report", "--sections=threads", "--top", "0", path).out
    ct.ok(f"gamma-* ({count} virtual)" in text, f"{jdk}: so does its text", text)


def with_carrier_frames(jdk):
    path = ct.WORK / "carriers.jfr"
    record(jdk, "G1", path, **{"carrier-frames": "on"})
    whole = [one for one in map(Seen, jfrfile.events(path, {"candor.CpuSample"})) if one.groups and one.is_whole]
    deeper = [one for one in whole if any(name == "jdk.internal.vm.Continuation.run" for name, _, _ in one.sample.frames)
              and "libjvm" in str(one.sample.frames[-5:])]
    ct.ok(len(deeper) == len(whole) >= 100, f"{jdk}: carrier-frames=on: {len(deeper)} of {len(whole)} stacks continue to the carrier's",
          "\n".join(str(one) for one in whole if one not in deeper))
    ct.ok(all(one.identity() == "right" for one in whole), f"{jdk}: the thread is the virtual one all the same")


def main():
    ct.need()
    samples = wrong = 0
    jdks = ct.jdks(OLDER)
    plain = ("Serial", "Parallel", "G1", "ZGC", "Shenandoah")
    for jdk in jdks:
        cases = [name for name in COLLECTORS if (name in plain or ct.TIER == "all") and knows(jdk, name)]
        for name in cases:
            path = ct.WORK / "virtual.jfr"
            rounds = record(jdk, name, path)
            more, bad = check(jdk, name, path)
            samples, wrong = samples + more, wrong + bad
            if name == "G1":
                read_by_others(jdk, path, rounds * THREADS)
    if jdks:
        with_carrier_frames(jdks[-1])
        ct.ok(wrong <= 0.001 * samples, f"{wrong} of {samples} samples at work are another thread's")
    ct.done()


main()
