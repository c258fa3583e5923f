"""A JVM that dies while it is recorded, and how much of its end is missing in the recording.

The program (tests/java/Heartbeat.java) uses CPU time and writes the time of each step to a mapped file, so the last sample can be
compared with its last sign of life. Missing may be one second, one turn of the collector (50 ms), and delays by the machine: the
largest gap between two steps that the program itself saw, and the time in which the agent's thread worked or waited for a CPU, which
the scheduler reports.
"""
import signal
import struct

import candortest as ct

ALLOWED_NS = 1_050_000_000
OWN = ("exit", "halt")  # ways in which the program ends itself; other names are signals


def die(jdk, way, seconds, name):
    """Runs one JVM until it dies; returns (status, path of the recording, last step, how much the machine may have delayed us)."""
    path, beat = ct.WORK / f"{name}.jfr", ct.WORK / f"{name}.beat"
    how = way if way in OWN else "wait"
    with ct.Jvm(jdk, "Heartbeat", beat, how, seconds, agent=ct.agent_options(file=path, interval="1ms")) as jvm:
        jvm.expect("now")
        if how == "wait":
            jvm.process.send_signal(getattr(signal, way))
        status = jvm.wait()
    last, gap, end, delay = struct.unpack(">qqqq", beat.read_bytes()[:32])
    return status, path, last, gap + delay + last - end


def missing_ns(recording, last):
    """The time from the last sample of the program's thread to its last step."""
    return last - max((s.start for s in recording.of_thread("heartbeat")), default=0)
