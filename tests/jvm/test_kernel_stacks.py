#!/usr/bin/env python3
"""The kernel's part of a stack. If it may be seen, a read of /dev/zero shows the kernel's functions above the call. If not, the
recording says why, and no frame is invented.

tier: default
timeout: 300
"""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SECONDS = 1


def record(jdk, what, **options):
    path = options.pop("home", ct.WORK) / f"{what.replace(' ', '-')}-{jdk.version}.jfr"
    keywords = {key: options.pop(key) for key in ("wrapper", "cwd") if key in options}
    with ct.Jvm(jdk, "KernelTime", agent=ct.agent_options(file=path, interval="500us", **options), **keywords) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=SECONDS)
        ct.ok(jvm.finish() == 0, f"{jdk}, {what}: the program ends normally", jvm.transcript())
    return ct.Recording(path)


def in_kernel(sample):
    return [name for name, kind, _ in sample.frames if kind == "Kernel"]


def kernel_first(sample):
    """The kernel's frames are the innermost, and there is a caller."""
    kinds = [kind for _, kind, _ in sample.frames]
    count = len(in_kernel(sample))
    return kinds[:count] == ["Kernel"] * count < kinds


def readers(recording):
    """The samples of the thread that reads, from the first one with kernel frames on: a thread gets its ring when a scan finds that it
    has been sampled."""
    samples = sorted((s for s in recording.of_thread("kernel") if s.outcome in ct.WALKED), key=lambda s: s.start)
    first = next((i for i, s in enumerate(samples) if in_kernel(s)), len(samples))
    return samples[first:]


def check_seen(jdk, recording, what):
    samples = readers(recording)
    inside = [s for s in samples if in_kernel(s)]
    wrong = [s.frames for s in inside if not kernel_first(s)]
    ct.ok(not wrong, f"{jdk}, {what}: the kernel's frames stand at the leaf", wrong[:3])
    ct.rate_below(len(samples) - len(inside), len(samples), 0.5, f"{jdk}, {what}: samples of the reader in user mode")
    return inside


def check_named(jdk):
    recording = record(jdk, "as root")
    stacks = recording.settings["kernel_stacks"]
    ct.note(f"{jdk}: kernel_stacks {stacks} {recording.settings['kernel_stacks_reason']}")
    if stacks != "named":
        ct.ok(recording.settings["kernel_stacks_reason"], f"{jdk}: says why there are no names")
        ct.skip(f"{jdk}: names of the kernel", f"{stacks}: {recording.settings['kernel_stacks_reason']}")
        return
    inside = check_seen(jdk, recording, "as root")
    elsewhere = [s.frames for s in inside if "kernel.vfs_read" not in in_kernel(s)]
    ct.rate_below(len(elsewhere), len(inside), 0.25, f"{jdk}: of its samples in the kernel, those not in a read",
                  elsewhere[:5])
    below = {next(frame for frame in s.frames if frame[1] != "Kernel")[:2] for s in inside if "kernel.vfs_read" in in_kernel(s)}
    ct.ok({kind for _, kind in below} == {"Native"}, f"{jdk}: what called the kernel: {below}")


def check_none(jdk):
    recording = record(jdk, "timer", clock="timer")
    ct.ok(recording.settings["kernel_stacks"] == "none" and "sigtrap" in recording.settings["kernel_stacks_reason"],
          f"{jdk}, timer: says that it gives none", recording.settings)
    ct.ok(not any(map(in_kernel, recording.samples)), f"{jdk}, timer: and gives none")
    note = ct.candor("report", recording.path)
    ct.ok("this clock provides no more" in note.out, f"{jdk}, timer: the report says so", note)


def check_ordinary(jdk, capabilities, expected):
    """A user who may sample the kernel because of a capability, and who may not see its symbols."""
    what, home = f"nobody {len(capabilities)}", ct.WORK / "home"
    wrapper = ct.as_nobody(*capabilities)
    if ct.run(*wrapper, "true").status != 0:
        ct.skip(f"{jdk}, {what}", "setpriv cannot do this here")
        return
    recording = record(jdk, what, wrapper=wrapper, cwd=home, home=home)
    stacks, reason = recording.settings["kernel_stacks"], recording.settings["kernel_stacks_reason"]
    if recording.settings["clock"] != "sigtrap" or ct.paranoia() != 2:
        ct.skip(f"{jdk}, {what}", f"clock {recording.settings['clock']}, perf_event_paranoid {ct.paranoia()}")
        return
    ct.ok(stacks == expected and reason, f"{jdk}, {what}: {stacks}: {reason}")
    if expected == "unnamed":
        names = {tuple(in_kernel(s)) for s in check_seen(jdk, recording, what)}
        ct.ok(names == {("kernel.[kernel]",)}, f"{jdk}, {what}: one frame stands for all of the kernel", names)
    else:
        ct.ok(not any(map(in_kernel, recording.samples)), f"{jdk}, {what}: no frame of the kernel")


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk in jdks:
        check_named(jdk)
    for jdk in jdks[:1]:
        check_none(jdk)
    for jdk in [one for one in jdks if not ct.in_closed_folder(one)][:1]:
        if os.geteuid() == 0 and shutil.which("setpriv"):
            (ct.WORK / "home").mkdir()
            shutil.chown(ct.WORK / "home", "nobody", "nogroup")
            check_ordinary(jdk, ["perfmon"], "unnamed")
            check_ordinary(jdk, [], "excluded")
        else:
            ct.skip("ordinary users", "needs root and setpriv")
    ct.done()


main()
