#!/usr/bin/env python3
"""The agent prints nothing on the application's streams, and JNI's checks find no fault with it.

tier: default
timeout: 600

A program that prints known lines runs without the agent, with the agent from the start, under -Xcheck:jni, with a late attach, and
with a recording that cannot be written. Two differences are allowed, and both are messages of the JVM: from JDK 21 on it warns on
standard error when an agent is loaded into it at run time (JEP 451); and under -Xcheck:jni it reports that SIGSEGV, SIGBUS, SIGFPE
and SIGILL have a handler before its own, which guards the stack walker's loads, ends the sampling at a fault of the agent's own, and
passes every other fault on.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

JEP_451 = re.compile(r"WARNING: (A JVM TI agent has been loaded dynamically|If a serviceability tool is in use|"
                     r"Dynamic loading of agents will be disallowed)")

FAULT_HANDLERS = re.compile(r"Warning: SIG(SEGV|BUS|FPE|ILL) handler modified!$|Signal Handlers:$"
                           r"| +SIG\w+: (\w+ in lib\w+\.so|SIG_DFL), mask="
                           r"| +\*\*\* (Handler was modified!|Expected: javaSignalHandler in libjvm\.so.*)$"
                           r"|Consider using jsig library\.$|$"
                           # the same up to JDK 11
                           r"|Warning: SIG(SEGV|BUS|FPE|ILL) handler expected:libjvm\.so\S+  found:libcandor\.so\S+$"
                           r"|SIG\w+: (\[lib(jvm|candor)\.so\S+\]|SIG_DFL), sa_mask\[0\]=[01]+, sa_flags=\S+$")


def talk(jdk, agent=None, flags=(), between=None):
    """(status, stdout, stderr) of one run; `between` is called with the JVM before its only round."""
    with ct.Jvm(jdk, "Talker", agent=agent, flags=flags) as jvm:
        jvm.expect("ready")
        if between:
            between(jvm)
        jvm.round(seconds=0.5)
        status = jvm.finish()
        return status, jvm.out, jvm.err


def same(what, run, reference, allowed=None):
    status, out, err = run
    if allowed:
        out, err = ([line for line in lines if not allowed.match(line)] for lines in (out, err))
    ct.ok((status, out, err) == reference, f"{what}: prints what it prints without the agent",
          f"status {status}\n" + "\n".join(line for line in out + err if line not in reference[1] + reference[2]))


def check(jdk):
    plain = talk(jdk)
    options = ct.agent_options(file=ct.WORK / f"talk-{jdk.version}.jfr", interval="1ms")
    same(f"{jdk}, at start", talk(jdk, options), plain)
    same(f"{jdk}, idle agent", talk(jdk, ct.agent_options()), plain)
    checked = ["-Xcheck:jni"]
    same(f"{jdk}, at start, -Xcheck:jni", talk(jdk, options, checked), talk(jdk, flags=checked), FAULT_HANDLERS)

    def attach_and_stop(jvm):
        result = ct.attach(jvm, ct.WORK / f"attached-{jdk.version}.jfr")
        ct.ok(result.status == 0, f"{jdk}: attaches", result)
        jvm.round(seconds=0.5)
        result = ct.candor("stop", jvm.pid)
        ct.ok(result.status == 0, f"{jdk}: stops", result)

    twice = (plain[0], plain[1] + plain[1][1:], plain[2] + plain[2])
    same(f"{jdk}, attached", talk(jdk, between=attach_and_stop), twice, JEP_451)

    def fail_to_start(jvm):
        good, answer = jvm.control("start", file="/nonexistent/directory/x.jfr")
        ct.ok(not good, f"{jdk}: an unwritable file is refused", answer)

    same(f"{jdk}, failing start", talk(jdk, ct.agent_options(), between=fail_to_start), plain)


def main():
    ct.need()
    for jdk in ct.jdks():
        check(jdk)
    ct.done()


main()
