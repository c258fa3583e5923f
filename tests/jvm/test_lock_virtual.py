#!/usr/bin/env python3
"""The event lock and virtual threads that leave their carriers: their waits for monitors (JDK 24 and later) and their parks, as the threads
themselves measure them, equal the sum in the recording, at any threshold, with G1 and ZGC, and in a recording that began late. Sleep is not
a wait for a lock. Waits that never end are counted, and some of them recorded. The JVM's own checks of JNI find nothing.

tier: default
timeout: 600

For N threads, the waits below a threshold T are off by at most T/2 for each lane, as a standard error, and a lane is a carrier's: at 20 ms
and 32 carriers at most by 5 x 10 ms x sqrt(32) = 0.3 s of 60 s, within the bound of 3 %. A thread measures its wait from before it asks for
the lock, so its own time is the larger one; it may lose its processor in between, before it parks.
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from waits import Recording, closes

THREADS, SECONDS = 32, 2
THRESHOLDS = {"0": 0, "20ms": 20_000_000}
OLDER = dict.fromkeys((8, 11, 17), "has no virtual threads")
COLLECTORS = {"G1": ["-XX:+UseG1GC", "-Xcheck:jni"], "ZGC": ["-XX:+UseZGC"]}
MONITORS_SINCE = 24
METHODS = {"monitor": "Locks.wantMonitor", "park": "Locks.wantLock"}
LOCKS = {"monitor": "Locks$Shared", "park": "java.util.concurrent.locks.ReentrantLock$NonfairSync"}


def record(jvm, name, *words, threshold="0", **round_options):
    path = ct.WORK / f"lock-virtual-{name}-{jvm.jdk.version}.jfr"
    done = ct.candor("start", "-e", "lock", "--lock-threshold", threshold, "-o", path, jvm.pid)
    ct.ok(done.status == 0, f"{jvm.jdk}, {name}: the recording begins", done)
    truth = jvm.round(*words, **round_options)
    jvm.stop()
    return Recording(path), truth


def of_kind(found, truth, kind, what):
    # Not by the thread's name: on a busy machine a thread may have ended before the agent reads it. And a thread with that name may also
    # wait for the JDK, which initializes a class.
    mine = [one for one in found.all if one.kind == kind and one.virtual and (METHODS[kind] in one.frames or one.lock == LOCKS[kind])]
    waited = sum(one.weight for one in mine)
    ct.ok(0.97 * truth[kind] <= waited <= 1.03 * truth[kind] > 0,
          f"{what}: {kind}: {waited / truth[kind]:.4f} of {truth[kind] / 1e9:.1f} s by {len(mine)} events", f"{truth} {found.books}")
    ct.ok(all(one.virtual and one.thread_id and (one.carrier or "").startswith("ForkJoinPool") for one in mine),
          f"{what}: {kind}: each has its virtual thread, and the carrier to which it returned",
          collections.Counter((one.virtual, one.carrier) for one in mine).most_common(3))
    ids = collections.defaultdict(set)
    for one in found.of(f"{kind}-"):
        ids[one.thread].add(one.thread_id)
    ct.ok(len(ids) > THREADS / 4 and all(len(one) == 1 for one in ids.values()), f"{what}: {kind}: {len(ids)} names, each of one id")
    shows = sum(METHODS[kind] in one.frames and one.outcome == "complete" for one in mine)
    ct.ok(shows >= 0.99 * len(mine) > 0, f"{what}: {kind}: {shows} of {len(mine)} stacks are whole, and show where",
          collections.Counter((one.outcome, *one.frames[:3]) for one in mine).most_common(3))
    named = sum(one.lock == LOCKS[kind] for one in mine)
    ct.ok(named >= 0.95 * len(mine), f"{what}: {kind}: {named} of {len(mine)} name the lock's class",
          collections.Counter(one.lock for one in mine).most_common(3))


def convoy(jvm, name, threshold):
    what, has_monitors = f"{jvm.jdk}, {name}, threshold {threshold}", jvm.jdk.version >= MONITORS_SINCE
    found, truth = record(jvm, f"{name}-{threshold}", "convoy", threshold=threshold, threads=THREADS, hold=2,
                          seconds=SECONDS, virtual=1, monitors=int(has_monitors))
    # Lanes: of the carriers, and of other threads of the JVM.
    closes(found, what, 2 * THREADS, THRESHOLDS[threshold])
    ct.ok(found.settings.get("lock_virtual_threads") == "seen" and not found.sum("lock_lost"), f"{what}: none is lost", found.books)
    for kind in ("monitor", "park")[not has_monitors:]:
        of_kind(found, truth, kind, what)
    # The JVM also takes locks to schedule the end of a sleep.
    slept = [one for one in found.all if any(frame.endswith(".sleepNanos") for frame in one.frames) and
             not any(".locks." in frame for frame in one.frames)]
    ct.ok(not slept, f"{what}: sleep is not a wait for a lock", slept and slept[0].frames)


def stuck(jvm, name, threads=1000, most=256):
    """Waits that go on at the end: all are in the books, and the recorded ones stand for them."""
    what = f"{jvm.jdk}, {name}, waits without end"
    found, _ = record(jvm, f"stuck-{name}", "stuck", threads=threads)
    mine = [one for one in found.all if one.virtual and not one.finished]
    closes(found, what, 64, 100_000_000)
    ct.ok(threads <= found.books["lock_open", ""][1] <= threads + 64, f"{what}: all are counted", found.books)
    ct.ok(len(mine) == most and len({one.thread_id for one in mine}) == most, f"{what}: {len(mine)} are recorded")
    ct.ok(all(one.outcome == "unmounted" and one.lock == LOCKS["park"] and not one.owner for one in mine),
          f"{what}: with their lock, and without a stack", collections.Counter((one.outcome, one.lock) for one in mine).most_common(3))
    stands, durations = sum(one.weight for one in mine), sum(one.duration for one in mine)
    ct.ok(abs(stands / (durations * threads / most) - 1) < 0.1, f"{what}: each stands for {threads / most:.1f}", (stands, durations))


def main():
    ct.need()
    for jdk in ct.jdks(OLDER):
        for name, flags in COLLECTORS.items():
            with ct.Jvm(jdk, "Locks", agent=ct.agent_options(), flags=flags) as jvm:
                jvm.expect("ready")
                for threshold in THRESHOLDS:
                    convoy(jvm, name, threshold)
                stuck(jvm, name)
                ct.ok(jvm.finish() == 0, f"{jdk}, {name}: the program ends normally", jvm.transcript())
                # The JVM's checks also print that it found our handlers of faults.
                printed = [line for line in jvm.out + jvm.err if "JNI" in line or "native method" in line]
                ct.ok(not printed, f"{jdk}, {name}: the JVM's checks find nothing", printed)
        with ct.Jvm(jdk, "Locks") as jvm:
            jvm.expect("ready")
            jvm.round("convoy", threads=4, hold=1, seconds=0.2, virtual=1, monitors=0)
            convoy(jvm, "late", "0")
            ct.ok(jvm.finish() == 0, f"{jdk}, late: the program ends normally", jvm.transcript())
    ct.done()


main()
