#!/usr/bin/env python3
"""A mistake in the agent itself, in a handler, on its thread, in a callback from the JVM or while it is loaded, ends the recording and
nothing else.

tier: default
timeout: 600

The program continues and its answers stay right, although the JVM itself depends on faults at the same time. The recording is whole
and says what happened and where, and so do status and stop. Nothing is sampled any more; a second recording is refused.
"""
import re
import subprocess

import faulty
from faulty import ct

SIGNALS = {"store": "SIGSEGV", "load": "SIGSEGV", "file": "SIGBUS", "divide": "SIGFPE", "instruction": "SIGILL",
           "call": "SIGSEGV", "copy": "SIGSEGV", "free": "SIGSEGV"}
# A place in the agent, the mistake it makes there, and the clock.
CASES = [("calibration", "store", "auto"), ("collector", "load", "auto"), ("handler", "divide", "timer"), ("lock", "store", "auto"),
         ("handler", "copy", "itimer"), ("handler", "file", "auto"), ("handler", "instruction", "signal"),
         ("handler", "call", "auto"), ("collector", "copy", "auto"), ("collector", "divide", "itimer"), ("collector", "free", "auto"),
         ("callback", "store", "auto"), ("callback", "copy", "timer"), ("callback", "call", "auto")]
ELSEWHERE = ("copy", "call")  # mistakes that are noticed in code outside of the agent
AT_ONCE = ("collector", "lock")  # places where the recording ends with the mistake


def build_id():
    notes = subprocess.run(["readelf", "-n", faulty.AGENT], check=True, capture_output=True, text=True).stdout
    return re.search(r"Build ID: (\w+)", notes)[1]


def status(jvm):
    """None if the agent does not answer, because its thread sleeps forever."""
    try:
        return jvm.control("status")[1]
    except OSError:
        return None


def has_ended(answer):
    """The answer if it says so, or True if there is no answer."""
    return answer is None or ("fault" in answer and (answer["state"] == "idle" or answer["threads"] == "0") and answer)


def check(jdk, case):
    place, mistake, clock = case
    what, name = f"{jdk}, {mistake} in {place}, {clock}", f"{place}-{mistake}-{clock}-{jdk.version}"
    after = 4 if place == "callback" else 25  # each round has two of these
    faults, path = faulty.Faults(name, crash=mistake, **{"in": place}, after=after), ct.WORK / f"{name}.jfr"
    agent = ct.agent_options(faulty.AGENT, file=path, interval="1ms", clock=clock)
    with ct.Jvm(jdk, "Answer", agent=agent, flags=["-Xss512k"], env=faults.environment) as jvm:
        try:
            jvm.expect("ready")
            wrong = 0
            while not faults.counts()["crashes"]:
                wrong += jvm.round(seconds=0.1)["wrong"]
            told = ct.wait_until(lambda: has_ended(status(jvm)))
            if isinstance(told, dict):  # records that were in the queues then are read step by step
                wrong += jvm.round(seconds=0.5)["wrong"]
                told = status(jvm)
            wrong += jvm.round(seconds=0.2)["wrong"]
            after = status(jvm)
            text = judge(what, place, mistake, jvm, told, after)
            end = jvm.finish()
        except (RuntimeError, BrokenPipeError) as death:
            ct.ok(False, f"{what}: the JVM lives", f"{death}\n{jvm.transcript()}")
            return
        ct.ok(end == 0 and not wrong and faults.counts()["crashes"] == 1 and not [line for line in jvm.err if "candor" in line],
              f"{what}: the JVM lives, its answers are right, and it ends normally", f"{end} {wrong}\n{jvm.transcript()}")
    check_recording(what, path, place, text)


def judge(what, place, mistake, jvm, told, after):
    """What the agent says: the text of the fault, or None if it cannot answer."""
    if place in AT_ONCE and mistake in ELSEWHERE:
        ct.ok(told is True and after is None, f"{what}: in the C library's midst the agent's thread falls silent", told)
        return None
    text = told["fault"]
    ct.ok(SIGNALS[mistake] in text and f"build id {build_id()}" in text and re.search(r"libcandor\.so\+0x[1-9a-f]", text)
          and (mistake in ELSEWHERE) == ("called from" in text), f"{what}: the status says so: {text}")
    if place not in AT_ONCE:
        ct.ok(told["samples"] == after["samples"] and after["threads"] == "0" and after["state"] == "running",
              f"{what}: after {after['samples']} samples no more come", (told, after))
        stopped = ct.candor("stop", jvm.pid)
        ct.ok(stopped.status == 1 and text in stopped.err, f"{what}: and so does candor stop", stopped)
    else:
        ct.ok(after["state"] == "idle", f"{what}: the recording has ended", after)
        good, answer = jvm.control("stop")
        ct.ok(not good and text in answer, f"{what}: and so does stop", answer)
    good, answer = jvm.control("start", file=ct.WORK / "again.jfr")
    ct.ok(not good and text in answer and "restart this JVM" in answer, f"{what}: a second recording is refused", answer)
    return text


def check_recording(what, path, place, text):
    recording, books = ct.Recording(path), ct.report(path)["books"]
    ct.identity_closes(books, what)
    said = [message for level, message in recording.log if level == "error"]
    ct.ok(said == ([text] if text else []), f"{what}: the recording says what happened, once", recording.log)
    booked = books["complete"] + books["truncated"] + sum(books["failed"].values())
    ct.ok(booked == len(recording.samples), f"{what}: {len(recording.samples)} samples, and {booked} in the books", books)
    unseen = books["unseen_ns"].get("internal_fault", 0)
    if text:
        ct.ok(unseen > 0, f"{what}: the time since is unseen for that reason: {unseen} ns", books)
    if place == "handler":
        ct.ok(books["lost"].get("internal_fault") == 1, f"{what}: the sample it was about to take is lost for that reason", books)
        ct.ok(text in ct.candor("report", path).out, f"{what}: the report says it, too")


def at_load(jdk, mistake):
    """With the JVM, or late: then there is no recording, and no second attempt."""
    what, name = f"{jdk}, {mistake} while the agent is loaded", f"load-{mistake}-{jdk.version}"
    faults = faulty.Faults(name, crash=mistake, **{"in": "load"}, after=1)
    with ct.Jvm(jdk, "Answer", agent=ct.agent_options(faulty.AGENT, file=ct.WORK / f"{name}.jfr"), env=faults.environment) as jvm:
        try:
            jvm.expect("ready")
            wrong = jvm.round(seconds=0.1)["wrong"]
        except (RuntimeError, BrokenPipeError) as death:
            ct.ok(False, f"{what}: the JVM lives", f"{death}\n{jvm.transcript()}")
            return
        said = [line for line in jvm.err if "candor" in line]
        ct.ok(jvm.finish() == 0 and not wrong and faults.counts()["crashes"] == 1 and len(said) == 1 and "internal fault" in said[0],
              f"{what}: the JVM lives, and one line says so", f"{wrong} {said}\n{jvm.transcript()}")


def at_attach(jdk, mistake):
    what, name = f"{jdk}, {mistake} while the agent is attached", f"attach-{mistake}-{jdk.version}"
    faults = faulty.Faults(name, crash=mistake, **{"in": "load"}, after=1)
    with ct.Jvm(jdk, "Answer", env=faults.environment) as jvm:
        try:
            jvm.expect("ready")
            answer = ct.run(jdk.jcmd, jvm.pid, "JVMTI.agent_load", faulty.AGENT)
            wrong = jvm.round(seconds=0.1)["wrong"]
        except (RuntimeError, BrokenPipeError) as death:
            ct.ok(False, f"{what}: the JVM lives", f"{death}\n{jvm.transcript()}")
            return
        ct.ok(jvm.finish() == 0 and not wrong and faults.counts()["crashes"] == 1 and "return code: 0" not in answer.out,
              f"{what}: the JVM lives, and who attached it hears of the failure", f"{wrong} {answer}\n{jvm.transcript()}")


def main():
    ct.need(faulty.AGENT, ct.PROGRAM)
    for jdk, mistake in ct.spread(ct.jdks(), ("store", "copy", "divide")):
        at_load(jdk, mistake)
    at_attach(ct.jdk(17), "call")
    for jdk, case in ct.spread(ct.jdks(), CASES):
        check(jdk, case)
    ct.done()


main()
