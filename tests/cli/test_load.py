"""A recording of many chunks gives the same result, byte for byte, whether one thread reads it or as many as there are processors.

tier: default
timeout: 300
"""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from recordings import COLD, FAILED, HOT, MS, make

VIEWS = "methods,lines,classes,packages,types,threads,tree,bottom-up,books"
OUTPUTS = ("collapsed", "csv", "pb.gz", "otlp", "speedscope.json", "json", "html")


def many_chunks():
    """Threads, stacks, settings and books that appear, change and appear again in some of thirty chunks."""
    lines = [("setting", "interval_ns", 10 * MS), ("jvm", "first", "demo.Main", 4711)]
    lines += [("thread", f"worker {i % 7}", 4711 + i, i) for i in range(1, 11)]
    for chunk in range(30):
        for i in range(chunk % 9 + 1):
            thread = (chunk * 5 + i) % 10 + 1
            stack = (HOT, COLD, f"{COLD};demo.Work.chunk{chunk % 11}:{i}", f"demo.Of{chunk}.only:1;{HOT}")[(chunk + i) % 4]
            lines.append(("sample", thread, 10 * MS + i, "complete", stack))
            lines.append(("execution", thread, stack))
        if chunk % 4 == 1:
            lines += [("sample", 1, 5 * MS, "gc_active", FAILED), ("setting", "clock", f"of chunk {chunk}"),
                      ("log", "warning", f"something in chunk {chunk % 8}"), ("cpu", chunk % 10 + 1, chunk * MS, chunk)]
        lines += [("book", "cpu", "", (chunk + 1) * 100 * MS, 0), ("book", "complete", "", chunk * MS, chunk), ("rotate",)]
    return lines + [("jvm", "last", "demo.Main --again", 4712)]


def record(jdk):
    path = ct.WORK / "jdk.jfr"
    with ct.Jvm(jdk, "TwoMethods", flags=[f"-XX:StartFlightRecording=filename={path},settings=profile"]) as jvm:
        jvm.round(seconds=1, threads=2)
        jvm.finish()
    return path


def joined(name, *paths):
    path = ct.WORK / name
    path.write_bytes(b"".join(p.read_bytes() for p in paths))
    return path


def said(path, processors):
    """All output of candor for the file, by command."""
    here = ["taskset", "-c", ",".join(map(str, processors))]
    found = {}
    for extension in OUTPUTS:
        out = ct.WORK / f"{len(processors)}-{path.stem}.{extension}"
        result = ct.run(*here, ct.PROGRAM, "convert", path, out)
        found[extension] = out.read_bytes() if result.status == 0 else str(result)
    for options in (("--json", "--sections", VIEWS), ("--tree",)):
        result = ct.run(*here, ct.PROGRAM, "report", *options, path)
        found[f"report {options[0]}"] = result.out if result.status == 0 else str(result)
    return found


def check(path, processors):
    one, all_ = said(path, processors[:1]), said(path, processors)
    ct.ok(all(isinstance(one[e], bytes) for e in OUTPUTS), f"{path.name}: one thread reads it",
          [text for text in one.values() if isinstance(text, str) and "status" in text[:200]])
    for what, text in one.items():
        ct.ok(all_[what] == text, f"{path.name}: {len(processors)} processors say the same: {what}")


def main():
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2 or not shutil.which("taskset"):
        ct.skip("one thread and several", "one processor, or no taskset")
        ct.done()
    made = make("made.jfr", many_chunks())
    check(made, processors)
    cut = ct.WORK / "cut.jfr"
    cut.write_bytes(made.read_bytes()[:-777])
    check(cut, processors)
    jdk = ct.jdk(25)
    if jdk:
        theirs = record(jdk)
        check(joined("mixed.jfr", theirs, made, theirs, cut, theirs), processors)
    else:
        ct.skip("recordings of a JVM", "JDK 25 is not cached; run script/jdks")
    ct.done()


main()
