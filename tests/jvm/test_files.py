#!/usr/bin/env python3
"""The agent opens the file itself (-agentpath, the control socket). An existing recording is replaced only by a recording with data, and
no other file is replaced. If a file is cut or deleted during the recording, this is reported.

tier: default
timeout: 300
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct


def identity(path):
    return path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()


def left():
    return sorted(path.name for path in ct.WORK.glob(".candor-*"))


def start_and_refusal(jdk, jvm, path):
    good, answer = jvm.control("start", file=path)
    ct.ok(good, f"{jdk}: a recording", answer)
    jvm.round(seconds=0.2)
    jvm.control("stop")
    path.chmod(0o640)
    before = identity(path)
    refused = {"event": "alloc"} if jdk.version == 8 else {"dump-on": "cpu>90%/10s", "dump-dir": "/nonexistent"}
    good, answer = jvm.control("start", file=path, **refused)
    ct.ok(not good and identity(path) == before and not left(), f"{jdk}: a start that is refused leaves an earlier recording bit for bit",
          (answer, left()))
    empty, new = ct.WORK / "empty.jfr", ct.WORK / "new.jfr"
    empty.touch()
    jvm.control("start", file=empty, **refused)
    jvm.control("start", file=new, **refused)
    ct.ok(empty.stat().st_size == 0 and not new.exists(), f"{jdk}: and an empty file, and none where there was none")


def replacing(jdk, jvm, path):
    before = identity(path)
    good, answer = jvm.control("start", file=path)
    held = identity(path)
    ct.ok(good and (held == before or ct.Recording(path).samples), f"{jdk}: one that has just begun replaces it only with samples", answer)
    jvm.round(seconds=0.2)
    good, answer = jvm.control("dump")
    ct.ok(good and path.stat().st_ino != before[0] and path.stat().st_mode & 0o777 == 0o640 and ct.Recording(path).samples and not left(),
          f"{jdk}: it does when it has been written, and takes its mode", (answer, path.stat()))
    good, answer = jvm.control("dump", file=path)
    ct.ok(not good and "the file of the running recording" in answer, f"{jdk}: not by a dump of itself", answer)


def dumps(jdk, jvm):
    text, link, copy = ct.WORK / "text.jfr", ct.WORK / "link.jfr", ct.WORK / "copy.jfr"
    text.write_text("somebody's notes")
    link.symlink_to(copy)
    for file in (text, link):
        good, answer = jvm.control("dump", file=file)
        ct.ok(not good and str(file) in answer, f"{jdk}: dump file={file.name} is refused", answer)
    ct.ok(text.read_text() == "somebody's notes" and link.is_symlink() and not copy.exists(), f"{jdk}: neither is touched")
    numbers = []
    for _ in range(2):
        good, answer = jvm.control("dump", file=copy)
        ct.ok(good and ct.Recording(copy).samples, f"{jdk}: a dump makes a new file, or replaces a dump", answer)
        numbers.append(copy.stat().st_ino)
    ct.ok(numbers[0] != numbers[1] and not left(), f"{jdk}: by another file", numbers)


def touched(jdk, jvm, path, what, touch):
    jvm.control("start", file=path)
    jvm.round(seconds=0.1)
    jvm.control("dump")
    touch()
    dumped = jvm.control("dump")
    good, status = jvm.control("status")
    ct.ok(not dumped[0] and good and what in status.get("error", ""), f"{jdk}: a recording that is {what}: status and dump say so",
          (dumped, status))
    good, answer = jvm.control("stop")
    ct.ok(good and what in answer.get("error", ""), f"{jdk}: and stop", answer)


def at_start(jdk, path):
    """A JVM loads the agent at its start and is killed: the file is the earlier recording, or a new one that can be read."""
    before = identity(path)
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=path)) as jvm:
        jvm.expect("ready")
        jvm.process.kill()
    for name in left():
        (ct.WORK / name).unlink()
    ct.ok(identity(path) == before or ct.candor("summary", path).status == 0, f"{jdk}, -agentpath, killed: nothing good is lost")
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=path)) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=0.2)
        ct.ok(jvm.finish() == 0, f"{jdk}, -agentpath: it ends normally", jvm.transcript())
    ct.ok(path.stat().st_ino != before[0] and ct.Recording(path).samples and not left(),
          f"{jdk}, -agentpath: an earlier recording is replaced")


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk in dict.fromkeys((jdks[0], jdks[-1])):
        path = ct.WORK / f"files-{jdk.version}.jfr"
        with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options()) as jvm:
            jvm.expect("ready")
            start_and_refusal(jdk, jvm, path)
            replacing(jdk, jvm, path)
            if jdk is jdks[-1]:
                dumps(jdk, jvm)
            jvm.control("stop")
            if jdk is jdks[-1]:
                gone = ct.WORK / "gone.jfr"
                touched(jdk, jvm, gone, "truncated", lambda: os.truncate(gone, 100))
                ct.ok(gone.stat().st_size == 100, f"{jdk}: the cut file stays as it is")
                touched(jdk, jvm, ct.WORK / "deleted.jfr", "deleted", (ct.WORK / "deleted.jfr").unlink)
            ct.ok(jvm.finish() == 0, f"{jdk}: the JVM ends normally", jvm.transcript())
        if jdk is jdks[-1]:
            at_start(jdk, path)
    ct.done()


main()
