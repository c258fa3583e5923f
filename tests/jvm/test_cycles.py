#!/usr/bin/env python3
"""Recordings that are started and stopped many times in one JVM leave no descriptor, thread, timer or memory behind.

tier: default
timeout: 900

Resident memory may grow while pools fill for the first time, so it is compared between the end of the first fifth and the end. It may
be at most 16 MiB more, over so many cycles that a leak of 400 KiB a cycle would be noticed (20 KiB in the all tier).
"""
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

CYCLES = 1000 if ct.TIER == "all" else 50
CLOCKS = ("auto", "auto", "auto", "timer", "auto", "signal", "auto", "itimer", "safepoint", "wall", "cpu,wall", "cpu,lock")

# The only thing that stays: a trap of an ended recording may reach a thread long afterwards, and its default action would kill the process.
SIGTRAP_BIT = 1 << (signal.SIGTRAP - 1)


class State:
    """The state that a stopped agent must leave unchanged."""

    def __init__(self, jvm):
        self.fds, self.threads = sorted(jvm.fds().values()), len(jvm.threads())
        self.caught, self.ignored = (int(mask, 16) for mask in jvm.status("SigCgt", "SigIgn"))
        with open(f"/proc/{jvm.pid}/timers") as file:
            self.timers = file.read().count("ID:")

    def compare(self, other, what):
        ct.ok(len(self.fds) == len(other.fds), f"{what}: {len(self.fds)} descriptors before, {len(other.fds)} after",
              f"before {self.fds}\nafter {other.fds}")
        # The JVM itself starts and ends a JIT thread or two.
        ct.ok(abs(self.threads - other.threads) <= 2, f"{what}: {self.threads} threads before, {other.threads} after")
        ct.ok((self.caught | SIGTRAP_BIT, self.ignored) == (other.caught | SIGTRAP_BIT, other.ignored),
              f"{what}: the same signals caught and ignored",
              f"caught {self.caught:x} -> {other.caught:x}, ignored {self.ignored:x} -> {other.ignored:x}")
        ct.ok(self.timers == other.timers == 0, f"{what}: no timer is left", f"{self.timers} {other.timers}")


def resident_kib(jvm):
    return int(jvm.status("VmRSS")[0].split()[0])


def cycles(jdk):
    # A heap of fixed size that is already in memory, and threads that do not begin or end, so that any growth comes from the agent.
    flags = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
             "-XX:+IgnoreUnrecognizedVMOptions", "-XX:-UseDynamicNumberOfCompilerThreads"]
    with ct.Jvm(jdk, "Steady", agent=ct.agent_options(), flags=flags) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=0.3, threads=3)
        before = State(jvm)
        jvm.say("go threads=1 seconds=100000")
        refused, bad, early = [], [], 0
        for i in range(CYCLES):
            path = ct.WORK / f"cycle-{jdk.version}-{i % 4}.jfr"
            clock = CLOCKS[i % len(CLOCKS)]
            how = {"event": clock} if clock in ("safepoint", "wall", "cpu,wall", "cpu,lock") else {"clock": clock}
            good, answer = jvm.control("start", file=path, interval="1ms", **how)
            if not good:
                refused.append(f"start {i}: {answer}")
                break
            if i % 10:
                time.sleep(0.02)
            else:
                ct.wait_until(lambda: int(jvm.control("status")[1]["samples"]) > 0)
            good, answer = jvm.control("stop")
            if not good or "error" in answer:
                refused.append(f"stop {i}: {answer}")
                break
            if i % 10 == 0 and clock == "auto":
                bad += broken(path, i)
            if i == CYCLES // 5:
                early = resident_kib(jvm)
        ct.ok(not refused, f"{jdk}: {CYCLES} recordings start and stop", refused)
        ct.ok(not bad, f"{jdk}: every tenth of them is whole, has samples, and its books balance", "\n".join(bad))
        grown = resident_kib(jvm) - early
        ct.ok(grown < 16384, f"{jdk}: {grown} KiB more resident memory after the last cycle than after a fifth of them")
        good, answer = jvm.control("status")
        ct.ok(good and answer["state"] == "idle", f"{jdk}: idle at the end", answer)
        # A thread that has ended may take a while to leave the kernel.
        ct.wait_until(lambda: len(jvm.threads()) <= before.threads + 1)
        after = State(jvm)
        after.threads -= 1
        before.compare(after, str(jdk))


def broken(path, i):
    recording = ct.Recording(path)
    books = ct.report(path)["books"]
    found = []
    if not recording.samples:
        found.append(f"cycle {i}: no samples")
    if ct.accounts_ns(books) != books["cpu_ns"]:
        found.append(f"cycle {i}: books {books}")
    return found


def main():
    ct.need()
    for jdk in ct.jdks():
        cycles(jdk)
    ct.done()


main()
