#!/usr/bin/env python3
"""A JVM whose attach listener already answers, but which does not accept agents yet: candor waits for it, but not forever.

tier: default
timeout: 300
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct


def slow(jdk, ms):
    return ct.Jvm(jdk, "TwoMethods", flags=["-Djava.system.class.loader=SlowStart", f"-Dslow.ms={ms}"])


def waits(jdk):
    with slow(jdk, 1500) as jvm:
        jvm.expect("starting")
        path = ct.WORK / f"slow-{jdk.version}.jfr"
        started = ct.candor("start", "-i", "1ms", "-o", path, jvm.pid)
        ct.ok(started.status == 0 and not started.err, f"{jdk}: begins as soon as the JVM can", started)
        jvm.expect("ready")
        jvm.round(seconds=0.3)
        ct.ok(ct.candor("stop", jvm.pid).status == 0 and ct.report(path)["methods"], f"{jdk}: and records it")
        ct.ok(jvm.finish() == 0, f"{jdk}: the JVM ends normally", jvm.transcript())


def not_for_ever(jdk):
    with slow(jdk, 3600_000) as jvm:
        jvm.expect("starting")
        started = ct.candor("start", "--timeout", "2s", "-o", ct.WORK / "never.jfr", jvm.pid)
        ct.ok(started.status == 1 and started.err.count("\n") == 1
              and all(words in started.err for words in ("still starting", "try again")),
              f"{jdk}: one that starts for hours: a line that says so", started)
        jvm.kill()


def main():
    ct.need(ct.PROGRAM)
    for jdk in ct.jdks():
        waits(jdk)
        not_for_ever(jdk)
    ct.done()


main()
