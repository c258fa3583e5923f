#!/usr/bin/env python3
"""Versions of the attach protocol and missing answers, and the C library that the JVM uses, tested with a script in place of a JVM.

tier: default
timeout: 300
"""
import json
import pathlib
import signal
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

FAKE = pathlib.Path(__file__).with_name("fake_jvm.py")


def elf_that_needs(name):
    """The smallest shared library: one segment, a dynamic section with one NEEDED, its string table."""
    strings = b"\0" + name.encode() + b"\0"
    head, segment, entry = 64, 56, 16
    dynamic = head + 2 * segment
    table = dynamic + 3 * entry
    size = table + len(strings)
    image = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, head, 0, 0, head, segment, 2, 0, 0, 0)
    image += struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096)
    image += struct.pack("<IIQQQQQQ", 2, 4, dynamic, dynamic, dynamic, 3 * entry, 3 * entry, 8)
    image += struct.pack("<QQQQQQ", 5, table, 1, 1, 0, 0)
    return image + strings


class Fake(ct.Script):
    def __init__(self, libc, behaviour):
        folder = ct.WORK / libc
        folder.mkdir(exist_ok=True)
        library = folder / "libjvm.so"
        library.write_bytes(elf_that_needs(libc))
        super().__init__(FAKE, library, behaviour)
        self.armed = behaviour != "unarmed"

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT if self.armed else signal.SIGKILL)
        self.process.wait(ct.PATIENCE)
        super().__exit__()

    def start(self, timeout="2s"):
        return ct.candor("start", "--timeout", timeout, "-o", ct.WORK / "x.jfr", self.pid)

    def requests(self):
        self.process.send_signal(signal.SIGINT)
        return [json.loads(line) for line in self.process.stdout]


def refused(what, result, *words):
    ct.ok(result.status == 1 and result.err.count("\n") == 1 and all(word in result.err for word in words), what, result)


def versions():
    with Fake("libc.so.6", "version-1") as fake:
        refused("version 1: the agent is loaded, and missed", fake.start(), "is loaded but has opened no socket")
        requests = fake.requests()
    ct.ok(len(requests) == 1 and requests[0][:2] == ["1", "load"] and requests[0][2].endswith("/libcandor.so") and
          requests[0][3:] == ["true", ""], "its request", requests)
    with Fake("libc.so.6", "version-2") as fake:
        refused("version 2 only: the same", fake.start(), "is loaded but has opened no socket")
        requests = fake.requests()
    payload = "".join(word + "\0" for word in requests[-1][2:])
    ct.ok(len(requests) == 2 and requests[0][0] == "1" and requests[1][0] == "2" and requests[1][1] == str(len(payload)) and
          requests[1][2:] == requests[0][1:], "its requests", requests)
    with Fake("libc.so.6", "other-version") as fake:
        refused("neither", fake.start(), "is unknown to candor", "newer candor")
        ct.ok([words[0] for words in fake.requests()] == ["1", "2"], "both were tried")


def silences():
    with Fake("libc.so.6", "silent") as fake:
        refused("a JVM that never answers, as in an endless pause", fake.start("1s"), "did not answer within 1 s", "try again")
    with Fake("libc.so.6", "starting") as fake:
        refused("one that still starts, and leaves the last question unanswered", fake.start("1s"), "still starting", "try again")
    with Fake("libc.so.6", "hangs-up") as fake:
        refused("one that hangs up", fake.start(), "closed the connection")


def leaving():
    with Fake("libc.so.6", "leaving") as fake:
        refused("an agent leaves as the client comes: it is loaded again", fake.start(), "is loaded but has opened no socket")
        ct.ok([words[1] for words in fake.requests()] == ["load"], "by a request to the JVM")


def c_libraries():
    for name in ("libc.musl-x86_64.so.1", "libc.so"):
        with Fake(name, "unarmed") as fake:
            refused(f"a JVM that needs {name}", fake.start(), "built for musl", "the agent of this candor for glibc", "use a candor")
            ct.ok(fake.process.poll() is None, "it was not signalled")
    with Fake("libwhatever.so.3", "version-1") as fake:
        refused("one that names none is let pass", fake.start(), "is loaded but has opened no socket")


def main():
    ct.need(ct.PROGRAM)
    versions()
    silences()
    leaving()
    c_libraries()
    ct.done()


main()
