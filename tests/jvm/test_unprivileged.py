#!/usr/bin/env python3
"""An ordinary user, who may not sample the kernel, gets a profile whose books say how much CPU time is hidden.

tier: default
timeout: 600

With perf_event_paranoid at 2 a perf clock must exclude the kernel; the kernel then silently drops samples that are due in kernel
mode. A thread that reads /dev/zero spends over 90 % of its CPU time there: the account unseen(kernel) must contain it.
"""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SECONDS = 1


def check(jdk, home):
    path = home / f"user-{jdk.version}.jfr"
    agent = ct.agent_options(file=path, interval="500us")
    with ct.Jvm(jdk, "KernelTime", agent=agent, wrapper=ct.as_nobody() if os.geteuid() == 0 else [], cwd=home) as jvm:
        jvm.expect("ready")
        uid = jvm.status("Uid")[0].split()[1]
        ct.ok(uid != "0", f"{jdk}: the JVM runs as an ordinary user ({uid})")
        truth = jvm.round(seconds=SECONDS)
        good, answer = jvm.control("status")
        ct.ok(good, f"{jdk}: root may use an ordinary user's socket, as may the user", answer)
        ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())
    recording, books = ct.Recording(path), ct.report(path)["books"]
    ct.note(f"clock {books['clock']}, unseen {books['unseen_ns']}, residual {100 * ct.residual_share(books):.2f} %")
    ct.ok(len(recording.samples) > 50, f"{jdk}: there are {len(recording.samples)} samples")
    ct.identity_closes(books, str(jdk))
    ct.residual_within(books, 0.02, str(jdk))
    if ct.paranoia() == 2 and books["clock"] in ("sigtrap", "signal"):
        hidden = books["unseen_ns"].get("kernel", 0)
        ct.ok(0.7 * truth["cpu_ns"] < hidden < books["cpu_ns"],
              f"{jdk}: {hidden / 1e9:.2f} s of kernel time are reported as unseen, {truth['cpu_ns'] / 1e9:.2f} s were read")
    else:
        ct.skip(f"{jdk}: unseen kernel time", f"perf_event_paranoid {ct.paranoia()}, clock {books['clock']}")


def main():
    ct.need()
    home = ct.WORK / "home"
    home.mkdir()
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            ct.skip("an ordinary user", "no setpriv")
            ct.done()
        shutil.chown(home, "nobody", "nogroup")
    for jdk in ct.jdks():
        if ct.in_closed_folder(jdk):
            ct.skip(str(jdk), ct.CLOSED_FOLDER)
        else:
            check(jdk, home)
    ct.done()


main()
