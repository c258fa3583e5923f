#!/usr/bin/env python3
"""The crash report of a JVM is complete, although the JVM was sampled every millisecond. HotSpot writes the report under its own SIGTRAP
handler, and takes each trap that still comes for another error.

tier: default
timeout: 600

If a step of the report fails because of a trap, that is the agent's fault. If it also fails in a JVM without the agent, it is not: in
two of three reports JDK 21 meets registers that it cannot describe. A failure with a rate of one in ten is missed in WITHOUT further
reports with a probability of 1e-6.
"""
import pathlib
import re
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

WAYS = ("interpreted", "compiled", "signal")
SAMPLES = 100  # before the crash
TIMES = 10 if ct.TIER == "all" else 1
WITHOUT = 130  # the number of reports in which a step that failed with the agent is looked for
TRAP = f"id {hex(signal.SIGTRAP)}"
FLAGS = ["-Xmx64m", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:-CreateCoredumpOnCrash"]  # JDK 8 leaves core dumps to the limits


def crash(jdk, way, agent):
    """The crash of one JVM: the steps of its report that failed, with their causes, and its transcript; None without a report."""
    with ct.Jvm(jdk, "Crash", way, agent=agent, flags=FLAGS) as jvm:
        jvm.expect("ready")
        if agent:
            ct.wait_until(lambda: int(jvm.control("status")[1]["samples"]) > SAMPLES)
        if way == "signal":
            jvm.process.send_signal(signal.SIGSEGV)
        else:
            jvm.say("die")
        jvm.wait()
        report = jvm.directory / f"hs_err_pid{jvm.pid}.log"
        if not report.exists():
            return None, jvm.transcript()
        text = report.read_text(errors="replace")
    return set(re.findall(r"error occurred during error reporting (\([^)]*\), id 0x[0-9a-f]+)", text)), jvm.transcript()


def without_agent(jdk, way, failed, before):
    """The steps that some JVM without the agent fails at, too."""
    for _ in range(WITHOUT):
        if failed <= before or any(TRAP in step for step in failed):
            break
        before = before | (crash(jdk, way, None)[0] or set())
    return before


def check(jdk, way, clock):
    before, transcript = crash(jdk, way, None)
    if not ct.ok(before is not None, f"{jdk}, {way}: a JVM without the agent reports its crash", transcript):
        return
    for i in range(TIMES):
        path = ct.WORK / f"{way}-{jdk.version}-{i}.jfr"
        failed, transcript = crash(jdk, way, ct.agent_options(file=path, interval="1ms", clock=clock))
        before = without_agent(jdk, way, failed or set(), before)
        ct.ok(failed is not None and failed <= before, f"{jdk}, {way}, {clock}: and with the agent, nothing less is reported",
              f"{sorted(failed or [])}\n{transcript}")


def main():
    ct.need()
    for jdk in ct.jdks():
        for way in WAYS:
            check(jdk, way, "auto")
    ct.done()


main()
