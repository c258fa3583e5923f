#!/usr/bin/env python3
"""Recording as the user sees it, with a script (fake_agent.py) or a test library in place of the agent: the requests to the agent, the
output, and each of the ways to end.

tier: default
timeout: 600
"""
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

FAKE = pathlib.Path(__file__).with_name("fake_agent.py")
MAKE_RECORDING = ct.BUILD / "tests" / "unit" / "make_recording"
SAMPLE = ct.WORK / "sample.jfr"
SCRIPT = """jvm\t17.0.1\tTest\t1
setting\tinterval\t10ms
thread\tmain\t1\t1
sample\t1\t10000000\tcomplete\ta.Main.main:1;a.Main.hot:2
execution\t1\ta.Main.main:1;a.Main.hot:2
book\tcpu\t\t10000000\t1
book\tcomplete\t\t10000000\t1
flush
"""
LAUNCH_AGENT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((visibility("default"))) int Agent_OnLoad(void *vm, char *options, void *reserved)
{
    char command[4096];
    FILE *f = fopen(getenv("MARKER"), "w");
    if (f) {
        fputs(options, f);
        fclose(f);
    }
    char *file = strstr(options, "file="), *end = strchr(file, ',');
    snprintf(command, sizeof command, "cp '%s' '%.*s'", getenv("SAMPLE"), (int)(end - file - 5), file + 5);
    return system(command) ? 1 : 0;
}
"""


class Fake(ct.Script):
    """The scripted agent: a process whose PID is the target."""

    def __init__(self, *behaviours):
        super().__init__(FAKE, SAMPLE, *behaviours)

    def requests(self):
        """All requests so far; ends the process."""
        return [json.loads(line) for line in self.said().splitlines()]


def one_line(result, *words):
    return result.status == 1 and result.err.count("\n") == 1 and all(word in result.err for word in words)


def make_sample():
    made = ct.spawn([MAKE_RECORDING, SAMPLE], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    error = made.communicate(SCRIPT)[1]
    ct.ok(made.returncode == 0 and SAMPLE.stat().st_size > 0, "a sample recording", error)


# -- one request each ------------------------------------------------------------------------------------------------

def step_by_step():
    odd = ct.WORK / "odd, name=100% äö.jfr"
    with Fake() as fake:
        idle = ct.candor("status", fake.pid)
        ct.ok(idle.status == 0 and "not recording" in idle.out, "status of an idle agent", idle)
        stop = ct.candor("stop", fake.pid)
        ct.ok(one_line(stop, "no recording"), "stop without a recording", stop)
        start = ct.candor("start", "-i", "1ms", "-d", "1m", "--clock", "timer", "-e", "cpu", "-o", odd, fake.pid)
        ct.ok(start.status == 0 and str(odd) in start.out and f"candor stop {fake.pid}" in start.out, "start", start)
        status = ct.candor("status", fake.pid)
        ct.ok(status.status == 0 and str(odd) in status.out and "1,234,567" in status.out and "10.0 ms" in status.out,
              "status of a recording", status)
        parsed = json.loads(ct.candor("status", "--json", fake.pid).out)
        ct.ok(parsed["state"] == "running" and parsed["samples"] == 1234567 and parsed["file"] == str(odd) and
              parsed["version"] == "9.9", "status --json", parsed)
        copy = ct.WORK / "copy.jfr"
        dump = ct.candor("dump", "-o", "copy.jfr", fake.pid, cwd=ct.WORK)
        ct.ok(dump.status == 0 and str(copy) in dump.out, "dump -o", dump)
        dump = ct.candor("dump", fake.pid)
        ct.ok(dump.status == 0 and str(odd) in dump.out, "dump", dump)
        stop = ct.candor("stop", fake.pid)
        ct.ok(stop.status == 0 and str(odd) in stop.out and "1,234,567 samples" in stop.out, "stop", stop)
        asked = [(one["command"], one["options"]) for one in fake.requests()]
    begin = next(options for command, options in asked if command == "start")
    ct.ok(begin == {"file": str(odd), "descriptor": "passed", "interval": "1000000ns", "duration": "60000000000ns",
                    "clock": "timer", "event": "cpu"}, "what start asks for", begin)
    dumps = [options for command, options in asked if command == "dump"]
    ct.ok(dumps == [{"file": str(copy), "descriptor": "passed"}, {}], "what dump asks for", dumps)


def keeping_the_end():
    path = ct.WORK / "kept.jfr"
    with Fake() as fake:
        start = ct.candor("start", "--keep", "5m", "--max-size", "100MB", "--dump-on", "cpu>90%/10s", "--dump-dir", "/var/tmp",
                          "--dump-max", "3", "--dump-pause", "1m", "-o", path, fake.pid)
        ct.ok(start.status == 0, "start of one that keeps its end", start)
        begin = next(one["options"] for one in fake.requests() if one["command"] == "start")
    wanted = {"keep": "5m", "max-size": "100MB", "dump-on": "cpu>90%/10s", "dump-dir": "/var/tmp", "dump-max": "3", "dump-pause": "1m"}
    ct.ok(wanted.items() <= begin.items(), "what it asks for", begin)


def default_file():
    with Fake() as fake:
        folder = ct.WORK / "here"
        folder.mkdir()
        result = ct.candor("start", fake.pid, cwd=folder)
        made = [path.name for path in folder.iterdir()]
        ct.ok(result.status == 0 and len(made) == 1 and made[0].startswith(f"candor-{fake.pid}-20") and
              made[0].endswith(".jfr"), "the default file", (result.err, made))
        begin = next(one["options"] for one in fake.requests() if one["command"] == "start")
        ct.ok("duration" not in begin and begin["interval"] == "10000000ns", "the default options", begin)


def identity(path):
    return path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()


def left():
    return sorted(path.name for path in ct.WORK.glob(".candor-*"))


def replacing():
    """A recording is replaced by another one as soon as that contains data, and keeps its mode; nothing else is replaced."""
    path, text = ct.WORK / "replaced.jfr", ct.WORK / "notes.jfr"
    text.write_text("notes of mine")
    for command in ("start", "record", "dump"):
        path.write_bytes(SAMPLE.read_bytes() + b"of yesterday")
        path.chmod(0o640)
        number = path.stat().st_ino
        time = ("-d", "100ms") if command == "record" else ()
        with Fake() as fake:
            if command == "dump":
                ct.candor("start", "-o", ct.WORK / "running.jfr", fake.pid)
            result = ct.candor(command, "-o", path, *time, fake.pid)
            ct.ok(result.status == 0 and path.stat().st_ino != number and path.stat().st_mode & 0o777 == 0o640 and not left(),
                  f"{command}: a recording is replaced, and not written over", (result, path.stat(), left()))
            result = ct.candor(command, "-o", text, *time, fake.pid)
            ct.ok(one_line(result, str(text), "not a recording", "-o") and text.read_text() == "notes of mine",
                  f"{command}: another file is not", result)
    path.write_bytes(SAMPLE.read_bytes())
    before = identity(path)
    with Fake() as fake:
        result = ct.candor("dump", "-o", path, fake.pid)
    ct.ok(result.status == 1 and identity(path) == before and not left(), "dump of nothing: what was there stays", result)


def page_beside():
    """The page of `record` is for the same users as the recording, and replaces only pages of ours."""
    path, page = ct.WORK / "page.jfr", ct.WORK / "page.html"
    def record(*words):
        with Fake() as fake:
            return ct.candor("record", "-d", "100ms", "-o", path, *words, fake.pid)
    recorded("record, with a page", record(), path)
    ct.ok(page.stat().st_mode & 0o777 == 0o600, "the page has the recording's mode", oct(page.stat().st_mode))
    path.chmod(0o644)
    number = page.stat().st_ino
    recorded("record again", record(), path)
    ct.ok(page.stat().st_ino != number and page.stat().st_mode & 0o777 == 0o644, "a page of ours is replaced", oct(page.stat().st_mode))
    aim = ct.WORK / "aim.html"
    aim.write_text("somebody's")
    page.unlink()
    page.symlink_to(aim)
    result = record()
    ct.ok(result.status == 1 and result.err.count("\n") == 1 and str(page) in result.err and "candor convert" in result.err and
          "a.Main.hot" in result.out and page.is_symlink() and aim.read_text() == "somebody's", "a link is not followed", result)
    page.unlink()
    page.write_text("<html>my own</html>")
    result = record()
    ct.ok(result.status == 1 and page.read_text() == "<html>my own</html>" and not left(), "a page of somebody else stays", result)
    ct.ok(record("--no-report").status == 0, "with --no-report it is not asked after")


def refusals():
    with Fake("busy") as fake:
        for command in ("start", "record"):
            result = ct.candor(command, "-o", ct.WORK / "busy.jfr", fake.pid)
            ct.ok(one_line(result, "already recording", "/x/y.jfr"), f"{command} while recording", result)
            ct.ok(not (ct.WORK / "busy.jfr").exists(), f"{command}: the file made for it is removed")
            kept = ct.WORK / "kept.jfr"
            shutil.copy(SAMPLE, kept)
            before = identity(kept)
            ct.candor(command, "-o", kept, fake.pid)
            ct.ok(identity(kept) == before and not left(), f"{command}: a recording that was there is still that, bit for bit")
    with Fake("stop-error") as fake:
        ct.candor("start", "-o", ct.WORK / "full.jfr", fake.pid)
        result = ct.candor("stop", fake.pid)
        ct.ok(one_line(result, "No space left on device"), "a recording that is not whole", result)
    for behaviour, timeout, words in (("garbage", "60s", ["cannot read the agent's answer"]), ("cut", "60s", ["is incomplete"]),
                                      ("endless", "60s", ["cannot talk"]), ("silent", "1s", ["does not answer"])):
        with Fake(behaviour) as fake:
            result = ct.candor("status", "--timeout", timeout, fake.pid)
            ct.ok(one_line(result, *words) and "\x1b" not in result.err, f"an agent that is {behaviour}", result)
    with Fake("escape") as fake:
        result = ct.candor("status", fake.pid)
        ct.ok(result.status == 0 and "\x1b" not in result.out and "?[31m9.9" in result.out,
              "a terminal's escape sequence is not passed on", result)
        parsed = json.loads(ct.candor("status", "--json", fake.pid).out)
        ct.ok(parsed["version"] == "\x1b[31m9.9", "but kept in JSON", parsed)


def other_versions():
    """The fake agent's version is never ours. Its protocol decides."""
    for behaviour in ("future", "past"):
        with Fake(behaviour) as fake:
            path = ct.WORK / "other-version.jfr"
            for command in ("start", "record"):
                result = ct.candor(command, "-o", path, fake.pid)
                ct.ok(one_line(result, "candor 9.9", "protocol", "restart the JVM") and not path.exists(),
                      f"{command}: an agent of the {behaviour} is not asked", result)
            result = ct.candor("status", fake.pid)
            ct.ok(result.status == 0 and "9.9" in result.out, f"but status shows an agent of the {behaviour}", result)


def bad_files():
    nowhere = ct.WORK / "nowhere" / "x.jfr"
    (ct.WORK / "ordinary").write_text("")
    with Fake() as fake:
        for path, word in ((nowhere, "folder"), (ct.WORK, "-o"), ("/dev/full", "ordinary file"),
                           (ct.WORK / "ordinary" / "x.jfr", "-o"), ("/" + "x" * 5000, "too long")):
            for command in ("start", "record"):
                result = ct.candor(command, "-d", "1s", "-o", path, fake.pid)
                ct.ok(one_line(result, str(path)[:200], word), f"{command} -o {str(path)[:60]}", result)
        asked = [one["command"] for one in fake.requests()]
        ct.ok("start" not in asked, "the agent is not even asked", asked)


# -- record PID ------------------------------------------------------------------------------------------------------

def recorded(what, result, path, status=0):
    """The end of every recording: report, both files, both paths."""
    html = path.with_suffix(".html")
    ct.ok(result.status == status and "a.Main.hot" in result.out and f"recording:   {path}\n" in result.out and
          f"flame graph: {html}\n" in result.out, f"{what}: report and paths", result)
    ct.ok(path.exists() and html.exists() and "<html" in html.read_text()[:2000].lower(), f"{what}: both files are there")


def record_for_a_time():
    path = ct.WORK / "time.jfr"
    with Fake() as fake:
        result = ct.candor("record", "-d", "500ms", "-o", path, fake.pid)
        asked = fake.requests()
    recorded("record -d", result, path)
    ct.ok(not result.err, "nothing but the report where there is no terminal", result.err)
    begin = next(one["options"] for one in asked if one["command"] == "start")
    ct.ok(begin["duration"] == "10500000000ns", "the agent would end it by itself, some time after us", begin)
    ct.ok([one["command"] for one in asked][-1] == "stop", "and is told to stop")


def record_quietly():
    path = ct.WORK / "quiet.name"
    with Fake() as fake:
        result = ct.candor("record", "--no-report", "-d", "100ms", "-o", path, fake.pid)
    ct.ok(result.status == 0 and result.out == f"\nrecording:   {path}\n" and not path.with_suffix(".name.html").exists(),
          "--no-report writes no page, and prints where the recording is", result)


def record_until_signal():
    for number in (signal.SIGINT, signal.SIGTERM):
        path = ct.WORK / f"signal-{int(number)}.jfr"
        with Fake() as fake:
            process = ct.spawn([ct.PROGRAM, "record", "-o", path, fake.pid], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
            ct.wait_until(path.exists)
            time.sleep(0.1)  # during the wait for the end; earlier is fine, too
            process.send_signal(number)
            out, err = process.communicate(timeout=ct.PATIENCE)
            asked = [one["command"] for one in fake.requests()]
        recorded(f"record until {number.name}", ct.Result(process.returncode, out, err), path)
        ct.ok(asked[-1] == "stop", f"{number.name}: the agent is told to stop")


def replace_by_sample(path):
    shutil.copy(SAMPLE, path.with_suffix(".new"))
    path.with_suffix(".new").rename(path)


def record_that_ends_otherwise():
    path = ct.WORK / "exit.jfr"
    with Fake("exit") as fake:
        result = ct.candor("record", "-d", "60s", "-o", path, fake.pid)
    recorded("the JVM exits", result, path)
    ct.ok("has exited" in result.err and result.err.count("\n") == 1, "and that is reported", result.err)
    path = ct.WORK / "killed.jfr"
    with Fake("killed") as fake:
        result = ct.candor("record", "-d", "60s", "-o", path, fake.pid)
    recorded("the JVM is killed", result, path, status=1)
    ct.ok(one_line(result, str(fake.pid), "signal 9") and "has exited" not in result.err, "and that is reported", result.err)
    path = ct.WORK / "gone.jfr"
    for what, touch, words in (("deleted", path.unlink, ["deleted"]), ("replaced", lambda: replace_by_sample(path), ["replaced"]),
                               ("cut", lambda: os.truncate(path, SAMPLE.stat().st_size - 1), ["truncated"]),
                               ("emptied", lambda: os.truncate(path, 0), ["empty"])):
        with Fake() as fake:
            client = ct.spawn([ct.PROGRAM, "record", "-o", path, fake.pid], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            ct.wait_until(lambda: path.exists() and path.stat().st_size)
            touch()
            client.send_signal(signal.SIGINT)
            out, err = client.communicate(timeout=ct.PATIENCE)
        ct.ok(client.returncode == 1 and str(path) in err and all(word in err for word in words) and "flame graph" not in out,
              f"a file that is {what} while it is recorded: status 1, and it is reported", (client.returncode, out, err))
        path.unlink(missing_ok=True)
    path = ct.WORK / "other.jfr"
    with Fake("stopped-by-other") as fake:
        result = ct.candor("record", "-d", "60s", "-o", path, fake.pid)
    recorded("somebody else stops it", result, path)
    ct.ok("another client" in result.err, "and that is reported", result.err)
    path = ct.WORK / "disk.jfr"
    with Fake("stop-error") as fake:
        result = ct.candor("record", "-d", "100ms", "-o", path, fake.pid)
    recorded("the disk is full", result, path, status=1)
    ct.ok(one_line(result, "No space left on device"), "and that is reported", result.err)


def progress():
    path = ct.WORK / "tty.jfr"
    master, slave = pty.openpty()
    with Fake() as fake:
        process = ct.spawn([ct.PROGRAM, "record", "-d", "1s", "-o", path, fake.pid], stdout=subprocess.DEVNULL,
                           stderr=slave, env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        text = b""
        while select.select([master], [], [], ct.PATIENCE)[0]:
            try:
                text += os.read(master, 65536)
            except OSError:
                break  # the terminal has no writer left
        process.wait(ct.PATIENCE)
    os.close(master)
    text = text.decode()
    ct.ok("1,234,567 samples" in text and "0 lost" in text and "of 1.0 s" in text and "\r" in text, "progress on a terminal", text)
    ct.ok(text.endswith("\r\x1b[K") and "\n" not in text, "which leaves nothing behind", repr(text[-80:]))


# -- record -- COMMAND -----------------------------------------------------------------------------------------------

class Client:
    """A copy of candor beside a test agent, which writes its options to $MARKER and a recording to its file."""

    def __init__(self):
        self.folder = ct.WORK / "client"
        self.folder.mkdir()
        self.marker = ct.WORK / "marker"
        self.program, self.library = self.folder / "candor", self.folder / "libcandor.so"
        shutil.copy(ct.PROGRAM, self.program)
        (self.folder / "agent.c").write_text(LAUNCH_AGENT)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, self.folder / "agent.c"], check=True)
        self.env = {**os.environ, "MARKER": str(self.marker), "SAMPLE": str(SAMPLE)}
        self.env.pop("JAVA_TOOL_OPTIONS", None)

    def record(self, path, *words, **keywords):
        self.marker.unlink(missing_ok=True)
        return ct.run(self.program, "record", "-o", path, *words, env=self.env, **keywords)

    def options(self):
        return self.marker.read_text() if self.marker.exists() else None


def launch(jdk, client):
    path = ct.WORK / f"launch-{jdk.version}.jfr"
    result = client.record(path, "-i", "2ms", "--", jdk.java, "-version")
    recorded(f"{jdk}: record -- java", result, path)
    ct.ok(client.options() == f"file={path},interval=2000000ns", f"{jdk}: the agent's options", client.options())
    result = client.record(path, "-d", "20s", "--", jdk.java, "-version")
    ct.ok(result.status == 0 and client.options().endswith("duration=30000000000ns"), f"{jdk}: with a duration",
          client.options())
    result = client.record(path, "--", jdk.java, "NoSuchClass")
    ct.ok(result.status == 1 and "NoSuchClass" in result.err, f"{jdk}: the command's status and output", result)
    wrapper = ct.WORK / "wrapper"
    wrapper.write_text(f'#!/bin/sh\n"{jdk.java}" "$@"\nexit 7\n')
    wrapper.chmod(0o755)
    result = client.record(path, "--", wrapper, "-version")
    recorded(f"{jdk}: record -- a script", result, path, status=7)
    ct.ok("JAVA_TOOL_OPTIONS" in result.err and "wrapper" in result.err, f"{jdk}: the message says how", result.err)


def launch_signals(jdk, client):
    for number in (signal.SIGINT, signal.SIGTERM):
        path = ct.WORK / f"launch-signal-{jdk.version}-{int(number)}.jfr"
        client.marker.unlink(missing_ok=True)
        process = ct.spawn([client.program, "record", "-o", path, "--", jdk.java, "-cp", ct.classes(jdk), "TwoMethods"],
                           env=client.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.readline()
        process.send_signal(number)
        # Wait for its end first: communicate closes standard input, which would end the program in another way.
        ended = ct.wait_until(lambda: process.poll() is not None)
        if not ct.ok(ended, f"{jdk}: {number.name} ends the command"):
            process.kill()
        out, err = process.communicate()
        recorded(f"{jdk}: {number.name} is passed on", ct.Result(process.returncode, out, err), path, status=128 + number)


def launch_failures(client):
    path = ct.WORK / "failed.jfr"
    result = client.record(path, "--", "/nonexistent/java")
    ct.ok(one_line(result, "/nonexistent/java", "No such file"), "a command that is not there", result)
    result = client.record(path, "--", "true")
    ct.ok(result.status == 1 and "no recording was written" in result.err, "a command without a JVM", result)
    result = client.record(path, "--", "sh", "-c", "kill -9 $$")
    ct.ok(result.status == 137 and "killed by signal 9" in result.err, "a command that dies by a signal", result)
    shutil.copy(SAMPLE, path)
    before = identity(path)
    result = client.record(path, "--", "true")
    ct.ok(result.status == 1 and "nothing was recorded" in result.err and "a.Main.hot" not in result.out and identity(path) == before,
          "a command without a JVM: an earlier recording is neither touched nor taken for a new one", result)
    path.unlink()
    result = client.record(ct.WORK / "nowhere" / "x.jfr", "--", "java")
    ct.ok(one_line(result, "folder"), "a file that cannot be written: the command is not run", result)
    client.library.unlink()
    alone = client.record(path, "--", "sh", "-c", 'echo "$JAVA_TOOL_OPTIONS"')
    library = alone.out.splitlines()[0].removeprefix("-agentpath:").split("=")[0]
    ct.ok(library.endswith("/libcandor.so") and pathlib.Path(library).exists(),
          "without a library beside it, the program unpacks its own", alone)
    built = ct.BUILD / "libcandor.so"
    ct.ok(pathlib.Path(library).read_bytes() == built.read_bytes(), "which is the one that was built")


def main():
    ct.need(ct.PROGRAM, MAKE_RECORDING)
    make_sample()
    other_versions()
    step_by_step()
    keeping_the_end()
    default_file()
    replacing()
    page_beside()
    refusals()
    bad_files()
    record_for_a_time()
    record_quietly()
    record_until_signal()
    record_that_ends_otherwise()
    progress()
    if shutil.which("cc"):
        client = Client()
        for jdk, check in ct.spread(ct.jdks(), (launch, launch_signals)):
            check(jdk, client)
        launch_failures(client)
    else:
        ct.skip("record -- COMMAND", "no C compiler for the test agent")
    ct.done()


main()
