#!/usr/bin/env python3
"""The capabilities that the manifests give to the daemon are enough: it profiles the JVM of another user in a container of its own.

tier: default
timeout: 300
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import container

DIST = pathlib.Path(__file__).resolve().parents[2] / "dist"
LISTS = [(name, re.search(pattern, (DIST / name).read_text())[1].replace(" ", "").split(","))
         for name, pattern in (("kubernetes/daemon.yaml", r"\n +add: \[(.*)\]"), ("compose.yaml", r"\n +cap_add: \[(.*)\]"))]
ct.ok(LISTS[0][1] == LISTS[1][1], "Kubernetes and Compose give the same", LISTS)


def limited(names):
    """The prefix of a command that has these capabilities only, and can get no other."""
    kept = ",".join(["-all", *(f"+{name.lower()}" for name in names)])
    return ["setpriv", "--no-new-privs", "--bounding-set", kept, "--inh-caps", "-all"]


def check(jdk):
    box, jvm = container.jvm_in(jdk, f"deployed-{jdk.version}", "--uid", 1000)
    with jvm:
        jvm.expect("ready")
        pid = container.pid_inside(jvm.pid)
        # The program as a container has it: with the agent that it carries.
        none = ct.run(*limited(["SETUID"]), container.CANDOR, "record", "-d", "1s", "-o", ct.WORK / "none.jfr", pid)
        ct.ok(none.status, f"JDK {jdk.version}: with nearly none it cannot", none)
        done = ct.run(*limited(LISTS[0][1]), container.CANDOR, "record", "-d", "1s", "-o", ct.WORK / f"{jdk.version}.jfr", pid)
        ct.ok(done.status == 0 and (ct.WORK / f"{jdk.version}.jfr").stat().st_size > 1000, f"JDK {jdk.version}: with the manifests' it can",
              done)


container.each_jdk("setpriv", check)
