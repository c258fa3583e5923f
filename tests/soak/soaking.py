"""Shared by the soaks: a JVM under load for hours, round by round, and a record of what happened to it."""
import collections
import os
import pathlib
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SECONDS = float(os.environ.get("CANDOR_SOAK_SECONDS", 7200))
STEADY_MEMORY = ["-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch", "-XX:MaxMetaspaceSize=128m", "-XX:ReservedCodeCacheSize=48m"]
WORK = {"alive": 20, "threads": 2, "class": "same"}

speak = threading.Lock()  # the lanes print whole lines


def ok(*arguments):
    with speak:
        return ct.ok(*arguments)


def resident_kib(jvm):
    return int(jvm.status("VmRSS")[0].split()[0])


class Tally:
    """What happened to one JVM."""

    def __init__(self, what):
        self.what, self.rounds, self.samples, self.bad = what, 0, collections.Counter(), []
        self.resident = []


def threads_of(jvm):
    """What the JVM prints about its threads, if it still can."""
    if jvm.process.poll() is not None:
        return "it is dead"
    before = len(jvm.out)
    jvm.process.send_signal(signal.SIGQUIT)
    time.sleep(5)
    return "\n".join(jvm.out[before:])


def strain(tally, jvm, end, one_round):
    """Runs rounds until the end; then the program is told to end. RuntimeError and OSError if it has died or hangs."""
    status = None
    try:
        jvm.expect("ready")
        while time.monotonic() < end or not tally.rounds:
            one_round()
            tally.rounds += 1
            tally.resident.append(resident_kib(jvm))
        status = jvm.finish()
    except (RuntimeError, OSError) as death:
        status = f"{death}\n{threads_of(jvm)}"
    ok(status == 0, f"{tally.what}: {tally.rounds} rounds, and the program ends well", f"{status}\n{jvm.transcript()}")
