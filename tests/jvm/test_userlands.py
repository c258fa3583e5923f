#!/usr/bin/env python3
"""JVMs with other C libraries: Debian 11 to sid, each in a root directory of its own, with that Debian's JDKs.

tier: all
timeout: 3600

This system's candor records each of them from outside, as from a container of another distribution; the agent is loaded there when a JVM
starts; and candor itself runs there and starts a JVM. On a C library older than the build's only the portable program runs:
CANDOR_PORTABLE is its path, from the tarball of script/package. The roots are fetched by apt, once.
"""
import os
import pathlib
import platform
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("lib", "machines")]
import candortest as ct
import container
import images

SUITES = {"bullseye": (11, 17), "bookworm": (17,), "trixie": (21, 25), "sid": (8, 25, 27)}
SAMPLES_LEAST = 100  # a round takes a second of CPU time, at an interval of 1 ms
BROKEN_MOST = 0.01  # the share of samples without a whole stack: of 300 samples, one or two at a JVM's start
PORTABLE = os.environ.get("CANDOR_PORTABLE")


def c_library(root):
    """The version of the C library in a root directory."""
    library = next(root.glob("usr/lib/x86_64-linux-gnu/libc.so.6"), root / "lib/x86_64-linux-gnu/libc.so.6")
    return library.read_bytes().split(b"GNU C Library (", 1)[1].split(b"release version ", 1)[1].split(b".\n", 1)[0].decode()


def check_recording(path, what):
    report = ct.report(path)
    books = report["books"]
    broken = sum(books["failed"].values()) + books["truncated"]
    samples = broken + books["complete"]
    ct.ok(samples >= SAMPLES_LEAST and broken <= 2 + BROKEN_MOST * samples,
          f"{what}: {samples} samples, {broken} without a whole stack, clock {report['settings']['clock']}", books)
    found = sum(method["self_share"] for method in report["methods"] if method["name"] in ("TwoMethods.heavy", "TwoMethods.light"))
    ct.ok(found > 0.3, f"{what}: the program's methods have {found:.2f} of the samples", report["methods"][:5])


def record_from_outside(jdk, box, what):
    path = ct.WORK / f"{box.root.name}-outside.jfr"
    with ct.Jvm(jdk, "TwoMethods", wrapper=box.wrapper) as jvm:
        jvm.expect("ready")
        pid = container.pid_inside(jvm.pid)
        started = ct.run(container.CANDOR, "start", "-i", "1ms", "-o", path, pid)
        jvm.round(seconds=1)
        stopped = ct.run(container.CANDOR, "stop", pid)
        ct.ok(started.status == 0 and stopped.status == 0, f"{what}: this system's candor records it from outside", f"{started}\n{stopped}")
        ct.ok(jvm.finish() == 0, f"{what}: the JVM ends normally", jvm.transcript())
    if started.status == 0:
        check_recording(path, f"{what}, from outside")


def record_inside(jdk, box, what, how, **start):
    """A JVM in the container that is recorded from its start, into its /tmp."""
    with ct.Jvm(jdk, "TwoMethods", **start) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=1)
        ct.ok(jvm.finish() == 0, f"{what}: {how} there", jvm.transcript())
    check_recording(box.tmp / f"{how}.jfr", f"{what}, {how}")


def program_for(box, what):
    """The program that can run in the container, or None."""
    if PORTABLE:
        return PORTABLE
    tried = ct.run(*box.wrapper, ct.PROGRAM, "version")
    if tried.status == 0:
        return ct.PROGRAM
    ct.skip(f"{what}: candor there",
            "its C library is older than the build's; set CANDOR_PORTABLE to the program of script/package's tarball")
    return None


def check(suite, version):
    root = ct.WORK / f"{suite}-{version}"
    subprocess.run(["cp", "-a", images.root(suite, "amd64", *SUITES[suite]), root], check=True)
    what = f"{suite}, glibc {c_library(root)}, JDK {version}"
    jdk = ct.Jdk(version, pathlib.Path(f"/usr/lib/jvm/java-{version}-openjdk-amd64"))
    box = container.Container(root, [ct.BUILD, *([pathlib.Path(PORTABLE).parent] if PORTABLE else [])])
    record_from_outside(jdk, box, what)
    record_inside(jdk, box, what, "the agent", wrapper=box.wrapper, agent=ct.agent_options(file="/tmp/the agent.jfr", interval="1ms"))
    program = program_for(box, what)
    if program:
        record_inside(jdk, box, what, "candor", wrapper=[*box.wrapper, program, "record", "-i", "1ms", "-o", "/tmp/candor.jfr", "--"])


def main():
    why = container.possible() or (platform.machine() != "x86_64" and "the JDKs are those for x86-64")
    if why:
        ct.skip("other C libraries", why)
        ct.done()
    container.copy_program()
    for suite, versions in SUITES.items():
        for version in versions:
            check(suite, version)
    ct.done()


main()
