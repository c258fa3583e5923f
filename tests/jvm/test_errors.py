#!/usr/bin/env python3
"""Errors are reported in one clear line, and the JVM continues: an unwritable file, a recording that is not possible beside another one,
invalid input, a full disk.

tier: default
timeout: 600
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct


GARBAGE = ("interval=soon,file=/tmp/x.jfr", "=,=,,=", "file=/nonexistent/x.jfr", "%zz=%", "x" * 5000)


def refused(what, answer, *words):
    """A refusal over the control socket: one line that contains all these words."""
    good, text = answer
    ct.ok(not good and text and all(word in text for word in words), f"{what}: refused with words {words}", text)


def refused_by_program(what, result, *words):
    lines = result.err.splitlines()
    ct.ok(result.status == 1 and len(lines) == 1 and all(word in lines[0] for word in words),
          f"{what}: the program says so in one line, status 1", result)


def control_errors(jdk):
    path = ct.WORK / f"errors-{jdk.version}.jfr"
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        refused(f"{jdk}, stop without a recording", jvm.control("stop"), "record")
        refused(f"{jdk}, dump without a recording", jvm.control("dump"), "record")
        refused(f"{jdk}, unknown directory", jvm.control("start", file="/nonexistent/x.jfr"), "/nonexistent/x.jfr")
        refused(f"{jdk}, a directory as file", jvm.control("start", file=ct.WORK), str(ct.WORK))
        refused(f"{jdk}, a device as file", jvm.control("start", file="/dev/null"), "/dev/null", "regular")
        refused(f"{jdk}, relative file", jvm.control("start", file="x.jfr"), "x.jfr")
        refused(f"{jdk}, bad interval", jvm.control("start", file=path, interval="soon"), "soon")
        refused(f"{jdk}, zero interval", jvm.control("start", file=path, interval="0"), "interval")
        refused(f"{jdk}, unknown clock", jvm.control("start", file=path, clock="sundial"), "sundial")
        refused(f"{jdk}, unknown event", jvm.control("start", file=path, event="moon"), "moon")
        refused(f"{jdk}, unknown option", jvm.control("start", file=path, flavour="vanilla"), "flavour")
        refused(f"{jdk}, unknown command", jvm.control("dance"), "dance")
        refused(f"{jdk}, empty command", jvm.control(""))
        refused(f"{jdk}, a line too long", jvm.control("start", file="/" + "x" * 9000), "8 KiB")
        ct.ok(not path.exists(), f"{jdk}: a refused start leaves no file")
        already_running(jdk, jvm, path)
        jvm.round(seconds=0.2)
        ct.ok(jvm.finish() == 0, f"{jdk}: the JVM continues and ends normally", jvm.transcript())


def already_running(jdk, jvm, path):
    good, answer = jvm.control("start", file=path)
    ct.ok(good, f"{jdk}: a good start succeeds after all that", answer)
    live = {"event": "alloc,live"}
    second = jvm.control("start", file=ct.WORK / "second.jfr", **live)
    refused(f"{jdk}, a second start of what cannot be shared", second, "already recording")
    refused_by_program(f"{jdk}, and by the program", ct.attach(jvm, ct.WORK / "third.jfr", "10ms", "-e", "live"), "already")
    ct.ok(not (ct.WORK / "second.jfr").exists(), f"{jdk}: a second start leaves no file")
    other_name = ct.WORK / f"errors-{jdk.version}-link.jfr"
    os.link(path, other_name)
    for name in (path, other_name):
        refused(f"{jdk}, a dump onto the running recording", jvm.control("dump", file=name), "the file of the running recording")
    good, answer = jvm.control("stop")
    ct.ok(good, f"{jdk}: the first recording is unharmed", answer)
    ct.ok(len(ct.Recording(path).counts) > 0, f"{jdk}: and whole")


def garbage_at_start(jdk, options):
    """A typo in the options must not end the JVM. The error is reported over the socket, or printed once."""
    with ct.Jvm(jdk, "TwoMethods", agent=f"-agentpath:{ct.AGENT}={options}") as jvm:
        try:
            jvm.expect("ready")
            jvm.round(seconds=0.1)
        except (RuntimeError, BrokenPipeError) as problem:
            ct.ok(False, f"{jdk}, options '{options[:40]}': the JVM runs", problem)
            return
        ct.ok(jvm.finish() == 0, f"{jdk}, options '{options[:40]}': the JVM runs", jvm.transcript())
        said = [line for line in jvm.err if "candor" in line.lower()]
        ct.ok(len(said) == 1, f"{jdk}, options '{options[:40]}': one line says what is wrong", jvm.transcript())


def steps(what, jvm, path):
    """A recording that began with the JVM is known to the program, and ends on request."""
    jvm.expect("ready")
    jvm.round(seconds=0.3)
    status = ct.candor("status", "--json", jvm.pid)
    ct.ok(status.status == 0 and json.loads(status.out).get("file") == str(path), f"{what}: status", status)
    rows = {row["pid"]: row for row in json.loads(ct.candor("list", "--json").out)["jvms"]}
    ct.ok(rows.get(jvm.pid, {}).get("recording") is True, f"{what}: list", rows.get(jvm.pid))
    doctor = json.loads(ct.candor("doctor", "--json", jvm.pid).out)
    ct.ok(doctor["possible"] and any(row["check"] == "agent" and "recording" in row["found"] for row in doctor["checks"]),
          f"{what}: doctor", doctor)
    stopped = ct.candor("stop", jvm.pid)
    ct.ok(stopped.status == 0 and str(path) in stopped.out, f"{what}: stop", stopped)
    ct.ok(jvm.finish() == 0 and not any("candor" in line for line in jvm.err), f"{what}: the JVM ends normally", jvm.transcript())
    ct.ok(len(ct.Recording(path).samples) > 0, f"{what}: it is recorded")


def name_taken(jdk):
    """Another user's file at the place of the control socket."""
    path = ct.WORK / f"taken-{jdk.version}.jfr"
    wrapper = ["sh", "-c", 'mkdir /tmp/.candor-$$ && exec "$@"', "sh"]
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=path), wrapper=wrapper) as jvm:
        taken = pathlib.Path(f"/tmp/.candor-{jvm.pid}")
        try:
            steps(f"{jdk}, the socket's name is taken", jvm, path)
        finally:
            taken.rmdir()
        ct.ok(not list(taken.parent.glob(f"{taken.name}.*")), f"{jdk}, the socket's name is taken: no socket stays")


def closed_folders(jdk):
    """A /tmp that cannot be written to, as in some containers; then /dev/shm as well."""
    if os.geteuid() != 0 or ct.run("unshare", "--mount", "true").status:
        ct.skip(f"{jdk}, a read-only /tmp", "needs root and unshare")
        return
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = pathlib.Path(folder) / "closed.jfr"
        mount = 'for at in {0}; do mount -t tmpfs -o ro none $at; done; exec "$@"'
        wrapper = ["unshare", "--mount", "sh", "-c", mount.format("/tmp"), "sh"]
        with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=path), wrapper=wrapper, cwd="/") as jvm:
            steps(f"{jdk}, a read-only /tmp", jvm, path)
        with ct.Jvm(jdk, "TwoMethods", wrapper=wrapper, cwd="/") as jvm:
            jvm.expect("ready")
            refused_by_program(f"{jdk}, a read-only /tmp, attached", ct.attach(jvm, path), "read-only", "tmpfs", "-agentpath")
            ct.ok(jvm.finish() == 0, f"{jdk}, a read-only /tmp: the JVM ends normally", jvm.transcript())
        wrapper[4] = mount.format("/tmp /dev/shm")
        with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=path), wrapper=wrapper, cwd="/") as jvm:
            jvm.expect("ready")
            jvm.round(seconds=0.3)
            refused_by_program(f"{jdk}, no place for the socket", ct.candor("status", jvm.pid), "could not create its control socket",
                               "/dev/shm")
            rows = {row["pid"]: row for row in json.loads(ct.candor("list", "--json").out)["jvms"]}
            ct.ok(rows[jvm.pid]["agent"] and rows[jvm.pid]["recording"] is None, f"{jdk}, no place for the socket: list does not know",
                  rows[jvm.pid])
            ct.ok(jvm.finish() == 0, f"{jdk}, no place for the socket: the JVM ends normally", jvm.transcript())
            said = [line for line in jvm.err if "candor: " in line]
            ct.ok(len(said) == 1 and "/dev/shm" in said[0] and "Read-only" in said[0],
                  f"{jdk}, no place for the socket: one line says so", jvm.transcript())
        ct.ok(len(ct.Recording(path).samples) > 0, f"{jdk}, no place for the socket: it is recorded all the same")


def two_copies(jdk):
    """The same agent twice, and two files of it, in one JVM: one line says so, and the first one records."""
    first, second = (ct.WORK / f"copies-{jdk.version}-{i}.jfr" for i in (1, 2))
    copy = ct.WORK / "copy" / "libcandor.so"
    copy.parent.mkdir()
    shutil.copy(ct.AGENT, copy)
    for library, words in ((ct.AGENT, "loaded twice"), (copy, "another copy of the agent")):
        what = f"{jdk}, {words}"
        with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=first), flags=[ct.agent_options(library, file=second)]) as jvm:
            jvm.expect("ready")  # the flags come first, and the agents that they load
            jvm.round(seconds=0.3)
            if library == copy:
                doctor = json.loads(ct.candor("doctor", "--json", jvm.pid).out)
                ct.ok(any(row["check"] == "copies" and str(copy) in row["found"] for row in doctor["checks"]), f"{what}: doctor", doctor)
            ct.ok(jvm.finish() == 0, f"{what}: the JVM ends normally", jvm.transcript())
            said = [line for line in jvm.err if "candor: " in line]
            ct.ok(len(said) == 1 and words in said[0], f"{what}: one line says so", jvm.transcript())
        ct.ok(not first.exists() and len(ct.Recording(second).samples) > 0, f"{what}: the first to come records, and it alone")
        second.unlink()


def file_size_limit(jdk):
    """RLIMIT_FSIZE acts like a full disk: a write fails in the middle of a recording."""
    path = ct.WORK / f"limit-{jdk.version}.jfr"
    wrapper = ["prlimit", "--fsize=2000000:2000000"]
    # -Xshare and perf data are off, because the JVM itself must not write a large file either.
    flags = ["-XX:-UsePerfData"]
    with ct.Jvm(jdk, "Steady", agent=ct.agent_options(), flags=flags, wrapper=wrapper) as jvm:
        jvm.expect("ready")
        full(jdk, jvm, path, "file size limit")


def small_disk(jdk):
    if os.geteuid() != 0:
        ct.skip(f"{jdk}, full disk", "needs root to mount a small tmpfs")
        return
    disk = ct.WORK / f"disk-{jdk.version}"
    disk.mkdir()
    if ct.run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk).status != 0:
        ct.skip(f"{jdk}, full disk", "may not mount a tmpfs here")
        return
    try:
        with ct.Jvm(jdk, "Steady", agent=ct.agent_options()) as jvm:
            jvm.expect("ready")
            full(jdk, jvm, disk / "full.jfr", "full disk")
    finally:
        ct.run("umount", "-l", disk)


def full(jdk, jvm, path, what):
    good, answer = jvm.control("start", file=path, interval="100us")
    if not ct.ok(good, f"{jdk}, {what}: the recording starts", answer):
        return
    # A dump writes as much as possible, in portions that are smaller than the free space, until the space is used up.
    for _ in range(100):
        jvm.round(seconds=0.3, threads=2)
        if not jvm.control("dump")[0]:
            break
    good, answer = jvm.control("status")
    ct.ok(good and str(path) in answer.get("error", ""), f"{jdk}, {what}: status says so while it records", answer)
    good, answer = jvm.control("stop")
    ct.ok(good and answer.get("error"), f"{jdk}, {what}: stop tells that the recording is not whole", answer)
    try:
        samples = len(ct.Recording(path).samples)
    except (OSError, ValueError, KeyError) as problem:
        ct.ok(False, f"{jdk}, {what}: the file is whole up to there", problem)
    else:
        ct.ok(samples > 0, f"{jdk}, {what}: the file is whole up to there ({samples} samples)")
    result = ct.candor("report", path)
    ct.ok(result.status == 0, f"{jdk}, {what}: and can be reported on", result)
    jvm.round(seconds=0.1)
    ct.ok(jvm.finish() == 0, f"{jdk}, {what}: the JVM ends normally", jvm.transcript())


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk in jdks:
        control_errors(jdk)
    for jdk, options in ct.spread(jdks, GARBAGE):
        garbage_at_start(jdk, options)
    for jdk in jdks[-1:]:
        name_taken(jdk)
        closed_folders(jdk)
        two_copies(jdk)
        file_size_limit(jdk)
        small_disk(jdk)
    ct.done()


main()
