#!/usr/bin/env python3
"""A hostile container gains nothing: links, FIFOs, folders and sockets are planted at every path at which candor, run by root, looks,
writes or connects, in the container's /tmp, in place of it, and where a recording is to be written.

tier: default
timeout: 900

The victim is a folder of root with a file, a folder and a listening socket. It is also mounted into the container under the same
name, so that a link leads there whichever root directory applies. It must stay unchanged, including its time stamps, and get no
connection. Inside the container only the JVM's user may get a file, and the JVM must survive.
"""
import os
import pathlib
import shutil
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import container
from container import CANDOR

OUT = ct.WORK / "out.jfr"


class Victim:
    def __init__(self, folder):
        self.folder = folder
        self.file, self.inner, self.socket = (self.folder / name for name in ("file", "folder", "socket"))
        self.inner.mkdir(parents=True)
        self.file.write_bytes(b"precious")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.socket))
        self.socket.chmod(0o777)
        self.listener.listen()
        self.listener.setblocking(False)

    def state(self):
        found = []
        for path in sorted([self.folder, *self.folder.rglob("*")]):
            st = path.lstat()
            found.append((path.name, st.st_mode, st.st_uid, st.st_gid, st.st_size, st.st_mtime_ns))
        return found, self.file.read_bytes()

    def was_called(self):
        try:
            self.listener.accept()[0].close()
            return True
        except BlockingIOError:
            return False

    def plants(self):
        return {"a link to a file": lambda at: at.symlink_to(self.file), "a link to a folder": lambda at: at.symlink_to(self.inner),
                "a link to nothing": lambda at: at.symlink_to(self.folder / "new"),
                "a link to a socket": lambda at: at.symlink_to(self.socket), "a hard link to a file": lambda at: os.link(self.file, at),
                "a hard link to a socket": lambda at: os.link(self.socket, at), "a FIFO": os.mkfifo, "a folder": os.mkdir}


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def commands(pid):
    """Everything that a user of the host does with a JVM, one after the other."""
    return [ct.run(CANDOR, *words, pid) for words in (("start", "--timeout", "3s", "-o", OUT), ("status",), ("stop",))]


def unharmed(what, victim, pid):
    """Runs the commands; returns true if the victim did not change and all commands ended in an orderly way."""
    before = victim.state()
    results = commands(pid)
    orderly = all(result.status in (0, 1) and result.err.count("\n") == (result.status == 1) for result in results)
    ct.ok(victim.state() == before and not victim.was_called() and orderly, what, "\n".join(map(str, (before, victim.state(), *results))))
    return results


def clean(box, library):
    for name in (".attach_pid1", ".java_pid1", ".candor-1"):
        remove(box.tmp / name)
    remove(library.parent)


def planted_inside(jdk, box, pid, victim, user):
    good = commands(pid)
    ct.ok([one.status for one in good] == [0, 0, 0], f"{jdk}: start, status and stop of an honest container", good)
    library = next(box.tmp.glob(".candor-agent-*/libcandor.so"))
    for name in (".attach_pid1", ".java_pid1", ".candor-1", library.parent.name, f"{library.parent.name}/libcandor.so"):
        for kind, plant in victim.plants().items():
            if kind == "a hard link to a socket" and user == 0:
                continue  # one of root's sockets, to which root inside could connect as well
            clean(box, library)
            if "/" in name:
                library.parent.mkdir()
                shutil.chown(library.parent, user, user)
            plant(box.tmp / name)
            unharmed(f"{jdk}: {kind} as /tmp/{name.replace(library.parent.name, '.candor-agent-...')}", victim, pid)
    clean(box, library)
    good = commands(pid)
    ct.ok([one.status for one in good] == [0, 0, 0], f"{jdk}: and after all that the JVM can be recorded again", good)


def planted_in_place(jdk, box, pid, victim):
    real = box.root / "tmp.real"
    for target in (victim.folder, victim.inner, "/proc/1/root", "/etc"):
        box.tmp.rename(real)
        box.tmp.symlink_to(target)
        refused = unharmed(f"{jdk}: a link to {'victim' if target != '/etc' else target} as /tmp", victim, pid)
        ct.ok("symbolic link" in refused[0].err, f"{jdk}: and this is reported", refused[0])
        box.tmp.unlink()
        real.rename(box.tmp)
    mount = subprocess.run(["nsenter", "-t", str(pid), "-m", "mount", "--bind", victim.inner, "/tmp"], capture_output=True, text=True)
    ct.ok(mount.returncode == 0, f"{jdk}: the victim is mounted as /tmp", mount.stderr)
    refused = unharmed(f"{jdk}: which only root could write", victim, pid)
    ct.ok(refused[0].status == 1, f"{jdk}: and is reported", refused[0])


def outputs(jdk, pid, victim):
    public = ct.WORK / "public"
    public.mkdir()
    public.chmod(0o1777)
    for kind, plant in victim.plants().items():
        at = public / "out.jfr"
        plant(at)
        before = victim.state()
        result = ct.run(CANDOR, "start", "--timeout", "3s", "-o", at, pid)
        ct.ok(result.status == 1 and result.err.count("\n") == 1 and victim.state() == before and not victim.was_called(),
              f"{jdk}: {kind} where the recording shall go", f"{result}\n{before}\n{victim.state()}")
        remove(at)
    public.rmdir()


def in_container(jdk, victim):
    box, jvm = container.jvm_in(jdk, f"root-{jdk.version}", binds=[victim.folder])
    with jvm:
        jvm.expect("ready")
        pid = container.pid_inside(jvm.pid)
        planted_inside(jdk, box, pid, victim, 101000)
        outputs(jdk, pid, victim)
        planted_in_place(jdk, box, pid, victim)
        jvm.round(seconds=0.1)
        ct.ok(jvm.finish() == 0 and not any("Full thread dump" in line for line in jvm.out), f"{jdk}: it ends normally", jvm.transcript())


def as_root(jdk, victim):
    """Root inside is root outside, as in most containers. Its rights do not stop it, but links lead nowhere."""
    box, jvm = container.jvm_in(jdk, f"as-root-{jdk.version}", "--first", 0, "--uid", 0, binds=[victim.folder])
    with jvm:
        jvm.expect("ready")
        pid = container.pid_inside(jvm.pid)
        planted_inside(f"{jdk}, root is root", box, pid, victim, 0)
        box.tmp.rename(box.root / "tmp.real")
        box.tmp.symlink_to(victim.folder)
        unharmed(f"{jdk}, root is root: a link as /tmp", victim, pid)


def check(jdk):
    victim = Victim(ct.WORK / f"victim-{jdk.version}")
    in_container(jdk, victim)
    as_root(jdk, victim)


container.each_jdk("nsenter", check)
