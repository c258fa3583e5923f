#!/usr/bin/env python3
"""Recording from the host into containers: JVMs with another root directory, other PID, mount and user namespaces, or another user.

tier: default
timeout: 300

Everything is real: the agent is copied into the container, loaded, started, queried and stopped, and the recording arrives where the
host's user wants it.
"""
import ctypes
import json
import os
import pathlib
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import container
from container import CANDOR

FIRST, INNER = 100000, 1000


def row(pid):
    return next((one for one in json.loads(ct.run(CANDOR, "list", "--json").out)["jvms"] if one["pid"] == pid), None)


def agent_copies(pid):
    """Inodes of the mapped agent libraries: two inodes would be two agents."""
    lines = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
    return {line.split()[4] for line in lines if line.endswith("libcandor.so")}


def step_by_step(jdk, jvm, box, pid, user):
    path = ct.WORK / f"steps-{jdk.version}.jfr"
    before = row(pid)
    ct.ok(before and jdk.is_named(before["jdk"]) and before["user"] == user and before["agent"] is False and
          before["main"] == "TwoMethods", f"{jdk}: list shows the JVM inside, as user {user}", before)
    started = ct.run(CANDOR, "start", "-i", "1ms", "-o", path, pid)
    ct.ok(started.status == 0 and str(path) in started.out, f"{jdk}: start", started)
    status = ct.run(CANDOR, "status", "--json", pid)
    told = json.loads(status.out or "{}")
    ct.ok(told.get("state") == "running" and told.get("file") == str(path) and told.get("pid") == 1,
          f"{jdk}: status, of process 1 inside", status)
    ct.ok(row(pid)["agent"] is True and row(pid)["recording"] is True, f"{jdk}: list says recording", row(pid))
    owners = {one.name: one.lstat().st_uid for one in box.tmp.iterdir() if one.name.startswith(".candor")}
    ct.ok(".candor-1" in owners and set(owners.values()) == {FIRST + INNER}, f"{jdk}: all that is inside is the JVM's user's", owners)
    jvm.round(seconds=0.3)
    copy = ct.WORK / f"copy-{jdk.version}.jfr"
    dumped = ct.run(CANDOR, "dump", "-o", copy, pid)
    ct.ok(dumped.status == 0 and len(ct.Recording(copy).samples) > 50, f"{jdk}: dump -o, to the host", dumped)
    stopped = ct.run(CANDOR, "stop", pid)
    ct.ok(stopped.status == 0 and str(path) in stopped.out, f"{jdk}: stop", stopped)
    ct.ok(path.stat().st_uid == 0 and len(ct.Recording(path).samples) > 50, f"{jdk}: the recording is root's, on the host")
    ct.ok(not list(box.root.rglob("*.jfr")), f"{jdk}: and not inside")
    after = row(pid)
    ct.ok(after["agent"] is True and after["recording"] is False, f"{jdk}: list says loaded, but not recording", after)


def record(jdk, jvm, pid):
    path = ct.WORK / f"record-{jdk.version}.jfr"
    client = ct.spawn([CANDOR, "record", "-i", "1ms", "-d", "1s", "-o", path, pid], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                      text=True)
    while client.poll() is None:
        jvm.round(seconds=0.2)
    out, err = client.communicate()
    ct.ok(client.returncode == 0 and path.exists() and ct.Recording(path).samples, f"{jdk}: record",
          ct.Result(client.returncode, out, err))


def without_openat2():
    """For a child process: openat2 fails as on an old kernel."""
    program = [(0x20, 0, 0, 0), (0x15, 0, 1, 437), (0x06, 0, 0, 0x00050000 | 38), (0x06, 0, 0, 0x7fff0000)]
    code = b"".join(struct.pack("HBBI", *one) for one in program)
    buffer = ctypes.create_string_buffer(code)
    head = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.create_string_buffer(head), 0, 0):
        os._exit(99)


def own_namespaces(jdk):
    box, jvm = container.jvm_in(jdk, f"own-{jdk.version}", "--first", FIRST, "--uid", INNER)
    with jvm:
        jvm.expect("ready")
        pid = container.pid_inside(jvm.pid)
        step_by_step(jdk, jvm, box, pid, str(FIRST + INNER))
        record(jdk, jvm, pid)
        record_without_openat2(jdk, jvm, pid)
        ct.ok(len(agent_copies(pid)) == 1, f"{jdk}: all that with one copy of the agent", agent_copies(pid))
        become = ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"]
        stranger = ct.run(*become, CANDOR, "start", "-o", "/dev/shm/x", pid, cwd="/")
        ct.ok(stranger.status == 1 and f"'{FIRST + INNER}'" in stranger.err and "root" in stranger.err,
              f"{jdk}: a stranger may not", stranger)
        ct.ok(jvm.finish() == 0, f"{jdk}: the JVM ends normally", jvm.transcript())


def record_without_openat2(jdk, jvm, pid):
    path = ct.WORK / f"old-{jdk.version}.jfr"
    probe = ct.WORK / "probe.py"
    probe.write_text("import ctypes, errno\nlibc = ctypes.CDLL(None, use_errno=True)\n"
                     "print(libc.syscall(437, -100, b'/', 0, 0), ctypes.get_errno() == errno.ENOSYS)\n")
    seen = subprocess.run([sys.executable, probe], preexec_fn=without_openat2, capture_output=True, text=True)
    started, stopped = (subprocess.run([CANDOR, *words, str(pid)], preexec_fn=without_openat2, capture_output=True, text=True)
                        for words in (("start", "-o", path), ("stop",)))
    ct.ok(seen.stdout == "-1 True\n" and started.returncode == 0 and stopped.returncode == 0 and path.stat().st_size > 0,
          f"{jdk}: on a kernel without openat2", (seen.stdout, started.stderr, stopped.stderr))


def another_user(jdk):
    """Without a container: a JVM of user nobody, and a folder that only root may enter."""
    if ct.in_closed_folder(jdk):
        ct.skip(f"{jdk}: nobody's JVM", ct.CLOSED_FOLDER)
        return
    closed = ct.WORK / f"closed-{jdk.version}"
    closed.mkdir(mode=0o700)
    path = closed / "x.jfr"
    with ct.Jvm(jdk, "TwoMethods", wrapper=ct.as_nobody()) as jvm:
        jvm.expect("ready")
        started = ct.run(CANDOR, "start", "-i", "1ms", "-o", path, jvm.pid)
        jvm.round(seconds=0.3)
        stopped = ct.run(CANDOR, "stop", jvm.pid)
        ct.ok(started.status == 0 and stopped.status == 0 and path.stat().st_uid == 0 and len(ct.Recording(path).samples) > 50,
              f"{jdk}: root records nobody's JVM into a folder of its own", (started, stopped))
        ct.ok(jvm.finish() == 0, f"{jdk}: the JVM ends normally", jvm.transcript())


def ordinary_user(jdk):
    """A rootless container: the host's user and the user inside are the same; root is not needed."""
    nobody = 65534
    box, jvm = container.jvm_in(jdk, f"rootless-{jdk.version}", "--owner", nobody, "--uid", INNER)
    with jvm:
        jvm.expect("ready")
        pid = container.pid_inside(jvm.pid)
        home = ct.WORK / f"home-{jdk.version}"
        home.mkdir()
        os.chown(home, nobody, nobody)
        become = ["setpriv", f"--reuid={nobody}", f"--regid={nobody}", "--clear-groups"]
        path = home / "x.jfr"
        started = ct.run(*become, CANDOR, "start", "-i", "1ms", "-o", path, pid, cwd=home)
        jvm.round(seconds=0.3)
        stopped = ct.run(*become, CANDOR, "stop", pid, cwd=home)
        ct.ok(started.status == 0 and stopped.status == 0 and path.stat().st_uid == nobody and len(ct.Recording(path).samples) > 50,
              f"{jdk}: an ordinary user and his own rootless container", (started, stopped))
        ct.ok(jvm.finish() == 0, f"{jdk}: the JVM ends normally", jvm.transcript())


container.each_jdk("setpriv", own_namespaces, another_user, ordinary_user)
