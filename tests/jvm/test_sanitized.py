#!/usr/bin/env python3
"""The agent in a real JVM, built with AddressSanitizer and UBSan: recordings start and stop with every clock and walker while threads
begin and end, classes are loaded and unloaded, and exceptions are thrown; when the JVM ends, one recording is running.

tier: default
timeout: 600
sanitize: yes

On the ordinary build the same work runs under -Xcheck:jni. The sanitizers' run-time library must come first in the
process; faults belong to the JVM and to the agent's guarded loads, leaks to the tests without a JVM (LeakSanitizer
cannot stop a JVM's threads). The runner turns any report into a failure.
"""
import os
import pathlib
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SANITIZED = os.environ.get("CANDOR_SANITIZED") == "1"
RECORDINGS = [{"clock": "auto", "walker": "compare"}, {"clock": "signal"}, {"clock": "timer"},
              {"clock": "itimer", "interval": "10ms"}, {"clock": "auto", "walker": "agct"}, {"event": "safepoint"}, {"clock": "auto"}]
PROGRAMS = {"ThreadChurn": {"seconds": 3}, "Loaders": {"seconds": 3}, "Intrinsics": {"seconds": 0.2}}


def environment():
    if not SANITIZED:
        return dict(os.environ)
    library = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:handle_segv=0:handle_sigbus=0:use_sigaltstack=0"
    return dict(os.environ, LD_PRELOAD=library.stdout.strip(), ASAN_OPTIONS=options)


def record(jvm, path, options, problems):
    """One recording of about a quarter of a second, with a dump in its middle."""
    for command, keys in (("start", dict(options, file=path)), ("dump", {}), ("stop", {})):
        good, answer = jvm.control(command, **keys)
        if not good or "error" in answer:
            problems.append(f"{options}: {command}: {answer}")
            return
        if command == "start":
            threading.Event().wait(0.25)


def work(jdk, program, words):
    what = f"{jdk}, {program}"
    path, last, problems = ct.WORK / f"{program}-{jdk.version}.jfr", ct.WORK / f"{program}-{jdk.version}-last.jfr", []
    flags = [] if SANITIZED else ["-Xcheck:jni"]
    with ct.Jvm(jdk, program, agent=ct.agent_options(), flags=["-Xmx256m", *flags], env=environment()) as jvm:
        jvm.expect("ready")
        rounds = threading.Thread(target=lambda: jvm.round(**words))
        rounds.start()
        for options in RECORDINGS:
            record(jvm, path, {"interval": "1ms", **options}, problems)
        rounds.join()
        ct.ok(not problems, f"{what}: {len(RECORDINGS)} recordings", "\n".join(problems))
        good, answer = jvm.control("start", file=last, interval="1ms")
        ct.ok(good, f"{what}: one more", answer)
        ct.wait_until(lambda: jvm.round(seconds=0.1) and int(jvm.control("status")[1]["samples"]) > 10)
        status = jvm.finish()
        ct.ok(status == 0, f"{what}: the JVM ends normally in the middle of it", jvm.transcript())
        said = [line for line in jvm.err if "candor" in line or "Sanitizer" in line or "runtime error" in line]
        ct.ok(not said, f"{what}: nobody complains of the agent", "\n".join(jvm.err[-60:]))
    ct.ok(len(ct.Recording(last).samples) > 10, f"{what}: and its recording is whole")


def main():
    ct.need(ct.AGENT)
    for jdk, (program, words) in ct.spread(ct.jdks(), list(PROGRAMS.items())):
        work(jdk, program, words)
    ct.done()


main()
