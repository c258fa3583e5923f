"""JVMs in containers that the tests make (in_container.py). If containers cannot be made, the test is skipped.

    def check(jdk):
        box, jvm = container.jvm_in(jdk, "name", "--uid", 1000)
        with jvm:
            jvm.expect("ready")
            pid = container.pid_inside(jvm.pid)
            ...
    container.each_jdk("setpriv", check)
"""
import ctypes
import os
import pathlib
import shutil
import sys

import candortest as ct

NEWNS, NEWUSER, NEWPID = 0x20000, 0x10000000, 0x20000000
SCRIPT = pathlib.Path(__file__).with_name("in_container.py")
# A copy of candor alone in a folder, so that it unpacks the agent that it carries.
CANDOR = ct.WORK / "client" / "candor"


class Container:
    """The prefix of a command that runs in a container: [*container.wrapper, command...]."""

    def __init__(self, root, binds, *options):
        self.root = pathlib.Path(root)
        self.tmp = self.root / "tmp"
        self.tmp.mkdir(parents=True)
        self.tmp.chmod(0o1777)
        bound = [word for path in binds for word in ("--bind", str(path))]
        self.wrapper = [sys.executable, str(SCRIPT), "--root", str(root), *bound, *map(str, options), "--"]


def jvm_in(jdk, name, *options, binds=()):
    """A container with that name, and in it a JVM that is not ready yet."""
    box = Container(ct.WORK / name, [jdk.home, ct.classes(jdk), *binds], *options)
    return box, ct.Jvm(jdk, "TwoMethods", wrapper=box.wrapper)


def pid_inside(pid):
    """The command's process id outside, from that of the wrapper."""
    return int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def possible():
    """Why containers cannot be made here, or None."""
    if os.geteuid() != 0:
        return "needs root"
    child = os.fork()
    if child == 0:
        os._exit(0 if ctypes.CDLL(None).unshare(NEWNS | NEWPID | NEWUSER) == 0 else 1)
    return None if os.waitpid(child, 0)[1] == 0 else "unshare is not allowed here"


def copy_program():
    CANDOR.parent.mkdir()
    shutil.copy(ct.PROGRAM, CANDOR)


def each_jdk(tool, *checks):
    """The whole of a test: runs the checks, each of which gets a JDK, for one JDK after the other, with CANDOR and the tool."""
    ct.need()
    why = possible()
    if why or not shutil.which(tool):
        ct.skip("containers", why or f"needs {tool}")
        ct.done()
    copy_program()
    for jdk in ct.jdks():
        for check in checks:
            check(jdk)
    ct.done()
