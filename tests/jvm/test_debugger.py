#!/usr/bin/env python3
"""A debugger that attaches while we sample, or before: the agent does not disturb it, and the recording continues.

tier: default
timeout: 300

gdb stops the program at every SIGTRAP, and keeps the signal. It must skip the SIGTRAPs that were due when it attached. When the
agent's thread has noticed gdb, 50 ms later, no more of them come. The samples of these 50 ms may be lost: in two threads, that is 3 %
of the CPU time of this recording.
"""
import pathlib
import re
import signal
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

MOST_STOPS = 200  # of 3,000 expiries; on a busy machine the agent's thread may be late
SECONDS = 1.5  # CPU time in each of two threads
UNNOTICED_NS = 500_000_000  # a quarter of a second of both threads


class Gdb:
    """Runs gdb on a process, and continues the process after each SIGTRAP that stops it."""

    def __init__(self, pid):
        self.stops, self.said, self.running = 0, [], threading.Event()
        self.process = subprocess.Popen(["gdb", "-q", "-nx", "-p", str(pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, errors="replace")
        for command in ("set pagination off", "set confirm off", "handle SIGSEGV SIGBUS SIGILL SIGFPE nostop noprint pass", "continue"):
            self.say(command)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def read(self):
        for line in self.process.stdout:
            self.said.append(line)
            if "Continuing" in line:
                self.running.set()
            if "received signal SIGTRAP" in line:
                self.stops += 1
                self.say("continue")

    def leave(self):
        self.process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        self.say("detach")
        self.say("quit")
        try:
            self.process.wait(ct.PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.reader.join(10)

    def transcript(self):
        return "".join(self.said)[-3000:]


def may_attach():
    sleeper = subprocess.Popen(["sleep", "100"])
    result = ct.run("gdb", "-q", "-nx", "-batch", "-p", str(sleeper.pid))
    sleeper.kill()
    return "not permitted" not in result.out + result.err


def comes_later(jdk):
    what, path = f"{jdk}, a debugger comes", ct.WORK / "comes.jfr"
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=path, interval="1ms")) as jvm:
        jvm.expect("ready")
        if jvm.control("status")[1].get("clock") != "sigtrap":
            ct.skip(what, "the clock is not sigtrap here")
            return
        jvm.round(seconds=0.3)
        gdb = Gdb(jvm.pid)
        ct.ok(gdb.running.wait(ct.PATIENCE), f"{what}: it lets the program continue", gdb.transcript())
        truth = jvm.round(seconds=SECONDS)
        status = jvm.control("status")[1]
        gdb.leave()
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript() + gdb.transcript())
    ct.ok(gdb.stops <= MOST_STOPS, f"{what}: it stopped for {gdb.stops} traps", gdb.transcript())
    ct.ok(status.get("clock") == "signal" and "debugger" in status.get("warning", ""), f"{what}: the status says so", status)
    report = ct.report(path)
    ct.ok(any("debugger" in problem["text"] for problem in report["problems"]), f"{what}: and so does the recording", report["problems"])
    ct.identity_closes(report["books"], what)
    # Until the agent has noticed, which it checks ten times a second if it gets a processor, two threads run without a clock.
    ct.residual_within(report["books"], 0.03 + UNNOTICED_NS / report["books"]["cpu_ns"], what)
    recording = ct.Recording(path)
    weights = {name: [s.weight for s in recording.samples if s.leaf == name] for name in ("TwoMethods.heavy", "TwoMethods.light")}
    heavy, light = weights.values()
    ct.ok(sum(heavy + light) > 0.8 * truth["cpu_ns"], f"{what}: the round under it was sampled: {sum(heavy + light) / truth['cpu_ns']:.2f}")


def was_there(jdk):
    what, path = f"{jdk}, a debugger was there", ct.WORK / "there.jfr"
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        gdb = Gdb(jvm.pid)
        ct.ok(gdb.running.wait(ct.PATIENCE), f"{what}: it lets the program run", gdb.transcript())
        good, answer = jvm.control("start", file=path, interval="1ms", clock="sigtrap")
        ct.ok(not good and "debugger" in str(answer), f"{what}: clock=sigtrap is refused, with the reason", answer)
        good, answer = jvm.control("start", file=path, interval="1ms")
        ct.ok(good and answer.get("clock") in ("signal", "timer"), f"{what}: another clock serves", answer)
        jvm.round(seconds=SECONDS)
        good, answer = jvm.control("stop")
        ct.ok(good, f"{what}: it stops", answer)
        gdb.leave()
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript() + gdb.transcript())
    ct.ok(gdb.stops == 0, f"{what}: it stopped for {gdb.stops} traps", gdb.transcript())
    reason = ct.report(path)["settings"]["clock_reason"]
    ct.ok(re.search("sigtrap: .*debugger", reason), f"{what}: the recording has the reason", reason)


def main():
    ct.need()
    if not shutil.which("gdb"):
        ct.skip("debuggers", "there is no gdb")
    elif not may_attach():
        ct.skip("debuggers", "this user may not attach one to its own processes (kernel.yama.ptrace_scope)")
    else:
        for jdk in (ct.jdk(17), ct.jdk(25)):
            comes_later(jdk)
            was_there(jdk)
    ct.done()


main()
