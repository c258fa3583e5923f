"""Hosts with networks of their own, on this machine: a test can cut the link between two of them as if somebody had pulled the plug.

    why = netns.missing()
    netns.enter()                          # the test's own host, with nothing but a loopback
    other = netns.Host()                   # another one
    link = other.link()                    # link.here and link.there are its two addresses
    spawn([*other.wrapper, "server", ...])
    link.cut(); link.mend()

A link is cut at its far end: on this side its route stays, packets are lost, and connections hang, as when a switch fails. With private
mounts, a folder can be a disk of its own (disk)."""
import ctypes
import itertools
import os
import pathlib

import candortest as ct

NEWNS, NEWNET, PRIVATE = 0x00020000, 0x40000000, 1 << 18 | 1 << 14  # MS_PRIVATE | MS_REC
_libc = ctypes.CDLL(None, use_errno=True)
_numbers = itertools.count(1)


def missing():
    made = ct.run("unshare", "--net", "--mount", "true")
    works = made.status == 0 and ct.run("ip", "-V").status == 0
    return None if works else f"no namespaces for networks: {made.err.strip() or 'ip is missing'}"


def enter():
    """Moves this process, and what it starts from now on, to namespaces of its own. Call it before there are threads."""
    if _libc.unshare(NEWNS | NEWNET) or _libc.mount(b"none", b"/", None, PRIVATE, None):
        raise OSError(ctypes.get_errno(), "unshare")
    _ip("link", "set", "lo", "up")


def _ip(*words, wrapper=()):
    done = ct.run(*wrapper, "ip", *words)
    ct.ok(done.status == 0, f"ip {' '.join(map(str, words))}", done.err)


def disk(folder, size):
    """Makes the folder a disk of this size."""
    folder.mkdir(parents=True, exist_ok=True)
    done = ct.run("mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", folder)
    ct.ok(done.status == 0, f"a disk of {size}", done.err)


class Host:
    def __init__(self):
        self.process = ct.spawn(["unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        path = f"/proc/{self.process.pid}/ns/net"
        ct.ok(ct.wait_until(lambda: os.readlink(path) != own, 60), "another host")
        self.wrapper = ["nsenter", f"--net={path}"]
        _ip("link", "set", "lo", "up", wrapper=self.wrapper)

    def link(self):
        return Link(self)


class Link:
    def __init__(self, host):
        number = next(_numbers)
        self.host, self.near, self.far = host, f"near{number}", f"far{number}"
        self.here, self.there = f"10.91.{number}.1", f"10.91.{number}.2"
        _ip("link", "add", self.near, "type", "veth", "peer", "name", self.far, "netns", host.process.pid)
        _ip("addr", "add", f"{self.here}/24", "dev", self.near)
        _ip("addr", "add", f"{self.there}/24", "dev", self.far, wrapper=host.wrapper)
        self.mend()
        _ip("link", "set", self.near, "up")

    def cut(self):
        _ip("link", "set", self.far, "down", wrapper=self.host.wrapper)

    def mend(self):
        _ip("link", "set", self.far, "up", wrapper=self.host.wrapper)


def fill(folder):
    """Uses up the disk of a folder. Returns the file that does so."""
    path = pathlib.Path(folder) / "filler"
    with open(path, "wb") as file:
        try:
            while True:
                file.write(bytes(1 << 16))
                file.flush()
        except OSError:
            pass
    return path
