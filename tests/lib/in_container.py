#!/usr/bin/env python3
"""Runs a command in a container made for tests: another root directory, PID, mount and user namespaces, another user. Needs root.

usage: in_container.py --root DIR [--bind PATH]... [--owner UID] [--first UID] [--uid UID] -- COMMAND...

DIR becomes the root directory. The host's /usr, /lib..., /etc and /dev and each --bind PATH are mounted below it under their own
names, /proc is the container's, /tmp is DIR/tmp. User 0 of the container is user --first of the host (default 100000). The command
runs as the container's user --uid (default 1000) and is its process 1. With --owner that user of the host makes the namespace, and is
then the only user inside; --first 0 makes no user namespace. The container ends with the command, and the command with the container.

container.py contains the functions that tests use.
"""
import argparse
import ctypes
import os
import pathlib
import signal
import sys

NEWNS, NEWUSER, NEWPID = 0x20000, 0x10000000, 0x20000000
MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH, PR_SET_PDEATHSIG = 0x1000, 0x4000, 0x40000, 2, 1
SYS_PIVOT_ROOT = 155
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc", "/dev")

libc = ctypes.CDLL(None, use_errno=True)


def check(result):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def mount(source, target, kind=None, flags=0):
    encode = lambda text: None if text is None else os.fsencode(text)
    check(libc.mount(encode(source), encode(target), encode(kind), ctypes.c_ulong(flags), None))


def bind(path, root):
    target = pathlib.Path(f"{root}{path}")
    if os.path.islink(path):
        target.symlink_to(os.readlink(path))
    else:
        target.mkdir(parents=True, exist_ok=True)
        mount(path, target, flags=MS_BIND | MS_REC)


def is_there(path):
    """Whether the root has this itself. An empty folder is where an earlier container had it mounted."""
    return os.path.islink(path) or os.path.isdir(path) and bool(os.listdir(path))


def enter_root(options):
    root = options.root
    check(libc.unshare(NEWNS))
    mount(None, "/", flags=MS_REC | MS_PRIVATE)
    mount(root, root, flags=MS_BIND)
    for path in (*SYSTEM, *options.bind):
        if os.path.exists(path) and not is_there(f"{root}{path}"):
            bind(path, root)
    for folder in ("proc", "old"):
        os.makedirs(f"{root}/{folder}", exist_ok=True)
    mount("proc", f"{root}/proc", "proc")
    os.chdir(root)
    check(libc.syscall(SYS_PIVOT_ROOT, b".", b"old"))
    os.chdir("/")
    check(libc.umount2(b"/old", MNT_DETACH))


def become_user(options, ready, mapped):
    if options.owner:
        os.setgroups([])
        os.setresgid(options.owner, options.owner, options.owner)
        os.setresuid(options.owner, options.owner, options.owner)
    if options.first:
        check(libc.unshare(NEWUSER))
        os.write(ready, b"x")
        if not os.read(mapped, 1):
            sys.exit("in_container: no user map")
    if not options.owner:
        os.setgroups([])
    os.setresgid(options.uid, options.uid, options.uid)
    os.setresuid(options.uid, options.uid, options.uid)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def write_maps(pid, options):
    for name in ("uid_map", "gid_map"):
        with open(f"/proc/{pid}/{name}", "w") as file:
            file.write(f"{options.uid} {options.owner} 1" if options.owner else f"0 {options.first} 65536")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--bind", action="append", default=[])
    parser.add_argument("--owner", type=int, default=0)
    parser.add_argument("--first", type=int, default=100000)
    parser.add_argument("--uid", type=int, default=1000)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    ready, mapped = os.pipe(), os.pipe()
    check(libc.unshare(NEWPID))
    child = os.fork()
    if child == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.close(mapped[1])
        enter_root(options)
        become_user(options, ready[1], mapped[0])
        os.execv(options.command[0], options.command)
    os.close(ready[1])
    if options.first and os.read(ready[0], 1):
        write_maps(child, options)
        os.write(mapped[1], b"x")
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    main()
