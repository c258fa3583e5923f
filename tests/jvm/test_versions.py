#!/usr/bin/env python3
"""Program and agent of different versions: each works with the other, and a newer agent can follow an older one.

tier: default
timeout: 300

The other version is made from this build: its version number is replaced by another one of the same length.
"""
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

OWN = ct.candor("version").out.split()[1].encode()
OTHER = b"0" * (len(OWN) - 1) + b"9" if len(OWN) < 5 else b"0.0." + b"9" * (len(OWN) - 4)


def other_version(original, copy):
    data = original.read_bytes()
    ct.ok(OWN + b"\0" in data, f"{original.name} holds its version")
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(data.replace(OWN + b"\0", OTHER + b"\0"))
    copy.chmod(0o755)
    return copy


def version_in(program, jvm, **keywords):
    return json.loads(ct.run(program, "status", "--json", jvm.pid, **keywords).out).get("version")


def record(what, program, jvm, agent, **keywords):
    path = ct.WORK / "version.jfr"
    started = ct.run(program, "start", "-i", "1ms", "-o", path, jvm.pid, **keywords)
    found = version_in(program, jvm, **keywords)
    jvm.round(seconds=0.1)
    stopped = ct.run(program, "stop", jvm.pid, **keywords)
    ct.ok(started.status == 0 and stopped.status == 0 and found == agent.decode() and len(ct.Recording(path).samples) > 20,
          f"{what}: agent {found}", f"{started}\n{stopped}")


def main():
    ct.need()
    library = other_version(ct.AGENT, ct.WORK / "libcandor.so")
    program = other_version(ct.PROGRAM, ct.WORK / "other" / "candor")
    alone = pathlib.Path(shutil.copy(ct.PROGRAM, ct.WORK / "candor-own"))
    library = library.rename(ct.WORK / "other-agent.so")
    unpacking = {"env": {**os.environ, "XDG_CACHE_HOME": str(ct.WORK / "cache")}}
    for jdk in ct.jdks():
        with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(library)) as jvm:
            jvm.expect("ready")
            record(f"{jdk}: the other version's agent, our program", alone, jvm, OTHER)
            ct.ok(jvm.finish() == 0, f"{jdk}: ends normally", jvm.transcript())
        with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options()) as jvm:
            jvm.expect("ready")
            record(f"{jdk}: our agent, the other version's program", program, jvm, OWN)
            ct.ok(jvm.finish() == 0, f"{jdk}: ends normally", jvm.transcript())
        with ct.Jvm(jdk, "TwoMethods") as jvm:
            jvm.expect("ready")
            for turn in ("first", "again"):
                record(f"{jdk}: the other version attaches, {turn}", program, jvm, OTHER, **unpacking)
                record(f"{jdk}: ours follows, {turn}", alone, jvm, OWN, **unpacking)
            ct.ok(jvm.finish() == 0, f"{jdk}: ends normally with both loaded", jvm.transcript())
    ct.done()


main()
