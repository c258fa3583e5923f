#!/usr/bin/env python3
"""The event wall and virtual threads without a carrier: their time as the books count it is the time that they measure themselves; their
samples are shared among groups of threads as that time is, and show where each waits, and how; the books close to the nanosecond; and a
hundred thousand of them cost no more samples, and no more draws, than a thousand.

tier: default
timeout: 900

A sample is drawn independently of the others while each waiting thread is in the list of drawn threads: that is so while no more than 768
wait, because the list then never drops a half at random. The share of a group of threads therefore has the error of a binomial share, with
the effective size of the samples: five standard errors, a false alarm in 5.7e-7 of the comparisons.
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

OLDER = dict.fromkeys((8, 11, 17), "has no virtual threads")
COLLECTORS = {"G1": ["-XX:+UseG1GC", "-Xcheck:jni"], "ZGC": ["-XX:+UseZGC"]}
WAITS_WITHOUT_CARRIER_SINCE = 24
STATES = {"parked": "STATE_PARKED", "sleeping": "STATE_SLEEPING", "waiting": "STATE_IN_OBJECT_WAIT", "short": "STATE_SLEEPING"}
LOOKS, SAVED, PER_SECOND = 16, 2000, 400


class Recording(ct.Recording):
    """`all` has the samples of virtual threads without a carrier."""

    def take(self, kind, event):
        if kind == "candor.WallSample":
            if event["eventThread"]["virtual"] and not event["carrierThread"]:
                self.all.append(event)
        else:
            super().take(kind, event)


def group_of(event):
    return (event["eventThread"].get("javaName") or "").split("-")[0]


def record(jvm, name, **options):
    path = ct.WORK / f"wall-virtual-{name}-{jvm.jdk.version}.jfr"
    jvm.start(path, event="wall", interval="10ms", **{"wall-rate": "3000"})
    truth = jvm.round("away", **options)
    jvm.stop()
    return Recording(path), truth


def counted(found, truth, what):
    unmounted, sampled = found.books["wall_unmounted", ""][0], sum(one["weight"] for one in found.all)
    own = sum(truth.values())
    ct.ok(found.settings.get("wall_virtual_threads") == "seen" and 0.98 * own <= unmounted <= 1.01 * own,
          f"{what}: {unmounted / own:.4f} of the {own / 1e9:.0f} s that they waited", f"{truth} {found.books}")
    unwatched = found.books.get(("wall_lost", "unwatched"), (0, 0))[0]
    ct.ok(sampled + unwatched == unmounted, f"{what}: the samples weigh all of it, to the nanosecond, but {unwatched / unmounted:.4f}",
          (sampled, unwatched, unmounted))
    parts = sum(found.sum(account) for account in ("wall_running", "wall_waiting", "wall_failed", "wall_lost", "wall_pending",
                                                   "wall_unseen", "wall_residual"))
    ct.ok(parts == found.sum("wall_time"), f"{what}: the books close", found.books)
    ct.ok(found.books["wall_unmounted", ""][1] <= 5, f"{what}: threads that have ended are not away", found.books["wall_unmounted", ""])


def shares(found, truth, what):
    weights, total = collections.Counter(), sum(truth.values())
    for one in found.all:
        weights[group_of(one)] += one["weight"]
    size, sampled = ct.effective_size([one["weight"] for one in found.all]), sum(weights.values())
    for group, own in truth.items():
        if own:
            ct.share_agrees(weights[group] / sampled, own / total, size, f"{what}: {group}", slack=0.01)
    for group in ("parked", "sleeping", "waiting"):
        mine = [one for one in found.all if group_of(one) == group]
        shown = sum(f"Away.{group}" in [ct.frame_of(frame)[0] for frame in one["stackTrace"]["frames"]] for one in mine)
        ct.ok(shown >= 0.98 * len(mine), f"{what}: {shown} of {len(mine)} stacks of {group} show where",
              [ct.frame_of(frame)[0] for one in mine[:1] for frame in one["stackTrace"]["frames"]])
        states = collections.Counter(str(one["state"]) for one in mine)
        # A thread whose Object.wait is over enters the monitor again once it has a carrier, which may take time on a busy machine.
        woken = states["STATE_BLOCKED_ON_MONITOR_ENTER"] if group == "waiting" else 0
        ct.ok(states[STATES[group]] + woken >= 0.98 * len(mine) and states[STATES[group]] >= woken, f"{what}: and how: {dict(states)}")
    leaves = {ct.frame_of(one["stackTrace"]["frames"][0])[0] for one in found.all}
    ct.ok(not any("notifyJvmti" in leaf or "Transition" in leaf for leaf in leaves), f"{what}: no stack ends in the JVM's report", leaves)


def many(jdk, threads=100_000):
    what = f"{jdk}, {threads:,} threads"
    with ct.Jvm(jdk, "Away", agent=ct.agent_options(), flags=["-Xmx700m", "-XX:+UseG1GC"]) as jvm:
        jvm.expect("ready")
        found, truth = record(jvm, "many", parked=threads, seconds=2)
        counted(found, truth, what)
        rounds = found.books["wall_rounds", ""][1]
        ct.ok(0 < len(found.all) <= LOOKS * rounds, f"{what}: {len(found.all)} samples in {rounds} rounds")
        seconds = found.sum("wall_unmounted") / threads / 1e9 + 30  # the recording is longer than the mean wait
        watched, left = (found.books["wall_unmounts", reason][1] for reason in ("watched", "left"))
        ct.ok(left >= threads and watched <= 2 * SAVED + 2 * PER_SECOND * seconds, f"{what}: {watched} of {left} were drawn")
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())


def main():
    ct.need()
    jdks = ct.jdks(OLDER)
    for jdk in jdks:
        for name, flags in COLLECTORS.items():
            what = f"{jdk}, {name}"
            with ct.Jvm(jdk, "Away", agent=ct.agent_options(), flags=flags) as jvm:
                jvm.expect("ready")
                waiting = 100 if jdk.version >= WAITS_WITHOUT_CARRIER_SINCE else 0
                found, truth = record(jvm, name, parked=420, sleeping=180, waiting=waiting, short=20, seconds=2)
                counted(found, truth, what)
                shares(found, truth, what)
                ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
                # The JVM's checks also print that it found our handlers of faults.
                printed = [line for line in jvm.out + jvm.err if "JNI" in line or "native method" in line]
                ct.ok(not printed, f"{what}: the JVM's checks find nothing", printed)
    for jdk in ct.some(jdks, 25):
        many(jdk)
    ct.done()


main()
