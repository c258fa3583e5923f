#!/usr/bin/env python3
"""The JVM's own thread dump of threads that stay where they are, compared with our walker's Java frames: the same methods, the same
lines.

tier: default
timeout: 600
"""
import re

import standing
from standing import ct

FLAGS = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+ShowHiddenFrames"]
STATION = "station-"
HIDDEN = 1_000_000  # JDK 8 adds it to the bytecode index of a hidden method that has no lines
FRAME = re.compile(r"\tat (\S+?)\((?:[^()]*/)?([^()]*)\)$")


def normal(method):
    """The names of hidden classes contain addresses, which each tool prints in its own way."""
    return re.sub(r"[/+.](0x)?[0-9a-f]+(?=\.)", "", method.split("/", 1)[1] if re.match(r"[\w.]+(@\S+)?/\D", method) else method)


def dump_of(jvm):
    """{thread: [(method, line)]}, leaf first; line None if the dump has none."""
    result, threads, frames = ct.run(jvm.jdk.jcmd, jvm.pid, "Thread.print"), {}, []
    for line in result.out.splitlines():
        if line.startswith('"'):
            frames = threads.setdefault(line.split('"')[1], [])
        match = FRAME.match(line)
        if match:
            number = re.search(r":(\d+)$", match[2])
            line = int(number[1]) if number else None
            frames.append((normal(match[1]), line if line and line < HIDDEN else None))
    return {thread: frames for thread, frames in threads.items() if thread.startswith(STATION)}


def ours_of(recording, looks):
    """The same from our samples, and whether each stack was whole. gdb read the type of each frame from the walker itself, because the
    recording has the same type for functions and native methods."""
    kinds = {look["tid"]: [kind for kind, _ in look["ours"]] for look in looks}
    found, whole = {}, {}
    for sample in (sample for sample in recording.samples if sample.thread.startswith(STATION)):
        java = [kind <= standing.JAVA or kind == standing.NATIVE_METHOD for kind in kinds[sample.tid]]
        found[sample.thread] = [(normal(name), line if line > 0 else None)
                                for (name, _, line), is_java in zip(sample.frames, java) if is_java]
        whole[sample.thread] = sample.outcome == "complete" and len(java) == len(sample.frames)
    return found, whole


def as_recorded(thread, frames):
    """The dump's frames as a recording has them. The interpreter goes to the next bytecode before it waits for a monitor, and a dump has
    the line of that one. A recording has the line of `synchronized`, which is the one before in this program."""
    if thread != STATION + "enter":
        return frames
    (method, line), *callers = frames
    return [(method, line - 1), *callers]


def check(jdk):
    path = ct.WORK / f"dump-{jdk.version}.jfr"
    with standing.jvm(jdk, "Stations", path, *FLAGS) as jvm:
        jvm.expect("ready")
        theirs = dump_of(jvm)
        looks, said = standing.stop(jvm, 1)
        ct.ok(len(looks) > len(theirs) >= 18, f"{jdk}: gdb looked at {len(looks)} threads, {len(theirs)} are stations", said)
        ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())
    ours, whole = ours_of(ct.Recording(path), looks)
    for thread, frames in sorted(theirs.items()):
        mine, frames = ours.get(thread, []), as_recorded(thread, frames)
        ct.ok(whole.get(thread) and mine == frames, f"{jdk}: {thread}: {len(frames)} frames, all the same and in the same lines",
              "\n".join(f"{a}   {b}" for a, b in list(zip(frames, mine)) if a != b) or f"{frames}\n{mine}")


def main():
    ct.need(standing.AGENT, ct.PROGRAM)
    for jdk in ct.jdks():
        check(jdk)
    ct.done()


main()
