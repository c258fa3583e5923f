#!/usr/bin/env python3
"""A recording that keeps its end: it stays within its limits of time and size, its books cover what is left, and it is whole when it is
dumped, when the JVM is killed, and for other readers. Also its automatic dumps.

tier: default
timeout: 900

The test does not measure time; it checks the positions of the chunks. A flush decides whether a chunk is removed. So in every file
the first chunk with data ended less than the limit before the flush at which the last chunk began.
"""
import pathlib
import struct
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

KEEP = 3  # seconds
BYTES = 1 << 20
HEADER = struct.Struct(">4sHHqqqqqqqhh")


def chunks(path):
    """(start ns, duration ns, bytes) of each chunk, without empty chunks."""
    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        magic, _, _, size, _, _, start, duration, *_ = HEADER.unpack_from(data, at)
        assert magic == b"FLR\0" and size > 0, (magic, size, at)
        found.append((start, duration, size))
        at += size
    # Removed chunks are replaced by one empty chunk at the front, which begins when the next one does.
    return found[1:] if len(found) > 1 and not found[0][1] and found[0][0] == found[1][0] else found


class Sizes(threading.Thread):
    """The largest size that the file is seen to have."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.most, self.shrunk, self.ended = path, 0, 0, threading.Event()

    def run(self):
        last = 0
        while not self.ended.wait(0.002):
            size = self.path.stat().st_size if self.path.exists() else 0
            self.shrunk += size < last
            self.most, last = max(self.most, size), size

    def end(self):
        self.ended.set()
        self.join()


def check_kept(path, what, *, lost=True):
    """The file is the end of the recording, and whole in itself."""
    recording, report = ct.Recording(path), ct.report(path)
    books = report["books"]
    ct.identity_closes(books, what)
    sampled = books["complete_ns"] + books["truncated_ns"] + sum(books["failed_ns"].values())
    held = sum(sample.weight for sample in recording.samples)
    ct.ok(recording.samples and held == sampled, f"{what}: the books are those of its {len(recording.samples)} samples",
          f"{held} {sampled}")
    ct.ok(report["discarded"] == lost, f"{what}: older data was {'' if lost else 'not '}discarded, and it says so")
    wrong = [one for one in report["problems"] if one["level"] == "error" or "reading:" in one["text"]]
    ct.ok(not wrong, f"{what}: no problem", wrong)
    first, *_, last = chunks(path)
    # The wall clock is read a moment after the other clock, and may be adjusted.
    ct.ok(first[0] + first[1] + (KEEP + 0.05) * 1e9 > last[0], f"{what}: {(last[0] - first[0]) / 1e9:.1f} s before its last chunk are kept")
    late = [s for s in recording.samples if s.start < first[0] - 1e9]
    ct.ok(not late, f"{what}: no sample is older than that", late[:3])
    return recording, report


def check_other_readers(jdks, path, recording, what):
    for jdk in jdks:
        result = ct.run(jdk.jfr, "summary", path)
        line = next((line.split() for line in result.out.splitlines() if "candor.CpuSample" in line), None)
        ct.ok(result.status == 0 and line and int(line[1]) == len(recording.samples),
              f"{what}: jfr summary of {jdk} counts the same samples", f"{line} {len(recording.samples)}\n{result}")


def check_report(path, what):
    result = ct.candor("report", path)
    lines = [line for line in result.out.splitlines() if line.startswith("Kept ")]
    ct.ok(result.status == 0 and len(lines) == 1 and "discarded, as requested, keep 3" in lines[0] and
          "the recording began" in result.out, f"{what}: the report says from when to when it is", result)


def keep_time(jdk, jdks):
    path, copy = ct.WORK / f"time-{jdk.version}.jfr", ct.WORK / f"time-copy-{jdk.version}.jfr"
    what = f"{jdk}, keep={KEEP}s"
    with ct.Jvm(jdk, "TwoMethods") as jvm:
        jvm.expect("ready")
        start = ct.attach(jvm, path, "1ms", "--keep", f"{KEEP}s")
        ct.ok(start.status == 0, f"{what}: attached", start)
        jvm.round(seconds=3)
        early = ct.control(jvm.pid, "status")[1]
        jvm.round(seconds=7)
        status = ct.control(jvm.pid, "status")[1]
        ct.ok(int(early["kept_ns"]) <= int(early["elapsed_ns"]) and int(status["kept_ns"]) < int(status["elapsed_ns"]) and
              int(status["keep_ns"]) == KEEP * 10**9 and int(status["max_bytes"]) == 0, f"{what}: the status tells how far it goes back",
              status)
        human = ct.candor("status", jvm.pid)
        ct.ok("kept      the last" in human.out and ", of 3.00 s" in human.out, f"{what}: for people, too", human)
        dumped = ct.candor("dump", "-o", copy, jvm.pid)
        ct.ok(dumped.status == 0, f"{what}: dumped", dumped)
        jvm.round(seconds=2)
        stop = ct.candor("stop", jvm.pid)
        ct.ok(stop.status == 0 and jvm.finish() == 0, f"{what}: stopped, and the program ends normally", stop)
    recording, _ = check_kept(copy, f"{what}, the dump")
    check_other_readers([jdk], copy, recording, f"{what}, the dump")
    recording, report = check_kept(path, f"{what}, the recording")
    check_other_readers(jdks, path, recording, f"{what}, the recording")
    check_report(path, what)
    known = [t for t in report["threads"] if t["cpu_ns"] is not None]
    most = max(known, key=lambda t: t["cpu_ns"])
    ct.ok(known and most["cpu_ns"] <= report["duration_ns"], f"{what}: no thread used more CPU than there was time", most)


def keep_bytes(jdk):
    """At the start of the JVM, so that there are many names and the file grows fast."""
    path = ct.WORK / f"bytes-{jdk.version}.jfr"
    what = f"{jdk}, max-size=1MB"
    sizes = Sizes(path)
    with ct.Jvm(jdk, "Steady", agent=ct.agent_options(file=path, interval="500us", **{"max-size": "1MB"})) as jvm:
        jvm.expect("ready")
        sizes.start()
        for _ in range(60):
            jvm.round(seconds=1)
            if sizes.shrunk > 2:
                break
        sizes.end()
        ct.ok(sizes.shrunk > 2, f"{what}: it was moved to the front {sizes.shrunk} times")
        ct.ok(sizes.most <= BYTES, f"{what}: never larger than that: {sizes.most} bytes")
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    recording, report = ct.Recording(path), ct.report(path)
    ct.ok(BYTES // 4 < path.stat().st_size <= BYTES, f"{what}: {path.stat().st_size} bytes are left at its end")
    ct.identity_closes(report["books"], what)
    held = sum(sample.weight for sample in recording.samples)
    books = report["books"]
    ct.ok(held == books["complete_ns"] + books["truncated_ns"] + sum(books["failed_ns"].values()) and report["discarded"],
          f"{what}: the books are those of its {len(recording.samples)} samples")
    check_other_readers([jdk], path, recording, what)


def killed(jdk):
    path = ct.WORK / f"killed-{jdk.version}.jfr"
    what = f"{jdk}, killed"
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=path, interval="1ms", keep=f"{KEEP}s")) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=4)
        jvm.say("go seconds=60")
        time.sleep(3.3)
        jvm.process.kill()
        jvm.wait()
    recording, _ = check_kept(path, what)
    check_other_readers([jdk], path, recording, what)


def safepoints(jdk):
    path = ct.WORK / f"safepoint-{jdk.version}.jfr"
    what = f"{jdk}, event safepoint"
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=path, event="safepoint", keep="2s")) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=7)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    report = ct.report(path)
    wrong = [one for one in report["problems"] if one["level"] == "error"]
    ct.ok(report["discarded"] and not wrong and report["thread_time"], f"{what}: books of what is left, that close", wrong)


def dumps(jdk):
    folder = ct.WORK / f"dumps-{jdk.version}"
    folder.mkdir()
    path = folder / "app.jfr"
    what = f"{jdk}, dump-on"
    with ct.Jvm(jdk, "TwoMethods") as jvm:
        jvm.expect("ready")
        start = ct.attach(jvm, path, "1ms", "--keep", f"{KEEP}s", "--dump-on", "cpu>0.2/1s", "--dump-max", "2", "--dump-pause", "1s")
        ct.ok(start.status == 0, f"{what}: attached", start)
        time.sleep(2.5)
        idle = ct.control(jvm.pid, "status")[1]
        for _ in range(30):
            jvm.round(seconds=1.5)
            status = ct.control(jvm.pid, "status")[1]
            if int(status["dumps"]) == 2:
                break
        jvm.round(seconds=2.5)
        status = ct.control(jvm.pid, "status")[1]
        human = ct.candor("status", jvm.pid)
        jvm.control("stop")
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    found = sorted(folder.glob("app-*.jfr"))
    ct.ok(int(idle["dumps"]) == 0, f"{what}: none while the program is idle", idle)
    ct.ok(len(found) == 2 and status["dumps"] == "2" and status["dump_file"] == str(found[-1]) and status["dump_on"] == "cpu>0.2/1s",
          f"{what}: two when it is busy, and no more", f"{found} {status}")
    ct.ok("dumps     2 of at most 2, on cpu>0.2/1s" in human.out and found[-1].name in human.out, f"{what}: the status shows them", human)
    for one in found:
        recording = ct.Recording(one)
        ct.identity_closes(ct.report(one)["books"], f"{what}, {one.name}")
        told = [text for level, text in recording.log if level == "info" and "cpu>0.2/1s" in text]
        ct.ok(recording.samples and told, f"{what}, {one.name}: holds samples, and says why it was made", recording.log)
        ct.ok(one.stat().st_mode & 0o777 == 0o600, f"{what}, {one.name}: the user's alone")
    told = [text for level, text in ct.Recording(path).log if "dump 2 of at most 2" in text]
    ct.ok(told, f"{what}: the recording tells of it", ct.Recording(path).log)


def refusals(jdk):
    path = ct.WORK / "refused.jfr"
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        for options, words in (({"keep": "5"}, ("keep", "5m")), ({"keep": "10ms"}, ("keep",)), ({"max-size": "1k"}, ("max-size", "1MB")),
                               ({"max-size": "2G"}, ("max-size", "1GB")), ({"dump-on": "lock>10ms"}, ("lock", "cpu>90%")),
                               ({"dump-on": "latency(a.B.c)>1s"}, ("latency", "cpu>90%")), ({"dump-max": "3"}, ("dump-on",)),
                               ({"dump-on": "cpu>90%", "dump-dir": "x"}, ("absolute",)),
                               ({"dump-on": "cpu>90%", "dump-dir": "/nonexistent"}, ("/nonexistent", "dump-dir")),
                               ({"dump-on": "cpu>90%", "dump-dir": "/proc"}, ("/proc", "dump-dir"))):
            good, text = jvm.control("start", file=path, interval="1ms", **options)
            ct.ok(not good and "\n" not in text and all(word in text for word in words), f"{options}: refused with {words}", text)
            ct.ok(not path.exists() and jvm.control("status")[1]["state"] == "idle", f"{options}: nothing is left of it")
        good, answer = jvm.control("start", file=path, interval="1ms", keep="2s")
        ct.ok(good, "and a good start succeeds after all that", answer)
        jvm.control("stop")
        ct.ok(jvm.finish() == 0, "the program ends normally", jvm.transcript())


def another_folder(jdk):
    """If the recording is started from another mount namespace, its file is in a folder that the JVM does not see, so dumps cannot be
    beside it."""
    folder = ct.WORK / "elsewhere"
    folder.mkdir()
    mount = f"mount -t tmpfs candor {folder} && exec"
    if ct.run("unshare", "-m", "sh", "-c", f"{mount} true").status:
        ct.skip("a recording in a folder that the JVM does not see", "mounting wants root")
        return
    with ct.Jvm(jdk, "TwoMethods") as jvm:
        jvm.expect("ready")
        start = [ct.PROGRAM, "start", "-o", folder / "app.jfr", "--dump-on", "'cpu>1'", jvm.pid]
        refused = ct.run("unshare", "-m", "sh", "-c", " ".join(map(str, [mount, *start])))
        ct.ok(refused.status == 1 and len(refused.err.splitlines()) == 1 and "cannot access" in refused.err and "dump-dir" in refused.err,
              "a folder that the JVM does not see: refused in one line", refused)
        good = ct.run("unshare", "-m", "sh", "-c", " ".join(map(str, [mount, *start[:-1], "--dump-dir", ct.WORK, jvm.pid])))
        ct.ok(good.status == 0, "with a folder that it sees: good", good)
        jvm.control("stop")


def full_disk(jdk):
    """A dump that fails is reported, and leaves nothing behind; the recording continues."""
    path = ct.WORK / "full.jfr"
    gone = ct.WORK / "gone"
    gone.mkdir()
    options = {"dump-on": "cpu>0.2/1s", "dump-dir": gone, "dump-pause": "1s"}
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=path, interval="1ms", **options)) as jvm:
        jvm.expect("ready")
        gone.rmdir()
        for _ in range(30):
            jvm.round(seconds=1.5)
            status = jvm.control("status")[1]
            if "dump_error" in status:
                break
        ct.ok(status["dumps"] == "0" and int(status["dumps_failed"]) > 0 and str(gone) in status.get("dump_error", ""),
              "a dump that cannot be written: the status says why", status)
        ct.ok(jvm.finish() == 0, "and the program continues", jvm.transcript())
    log = ct.Recording(path).log
    ct.ok(any(level == "warning" and str(gone) in text for level, text in log), "so does the recording, which is whole", log)


def main():
    ct.need()
    jdks = ct.jdks()
    parts = [lambda jdk: keep_time(jdk, jdks), keep_bytes, killed, safepoints, dumps]
    for jdk, part in ct.spread(jdks, parts):
        part(jdk)
    refusals(jdks[-1])
    another_folder(jdks[-1])
    full_disk(jdks[-1])
    ct.done()


main()
