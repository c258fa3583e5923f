"""Recordings with known content, and the result of candor report for them."""
import json
import struct
import subprocess

import candortest as ct

MAKER = ct.BUILD / "tests" / "unit" / "make_recording"
SPANS_MAKER = ct.BUILD / "tests" / "unit" / "make_spans"
MS = 1_000_000
RUN = "java.lang.Thread.run:840;demo.Work.run:12"
HOT, COLD = RUN + ";demo.Work.hot:23", RUN + ";demo.Work.cold:31"
FAILED = "Failed|gc_active.libjvm.so!evacuate"


def make(name, lines):
    path = ct.WORK / name
    script = "".join("\t".join(map(str, line)) + "\n" for line in lines)
    subprocess.run([MAKER, path], input=script.encode("utf-8", "surrogateescape"), check=True)
    return path


def spans(name, lines, start_ns, seconds):
    """A chunk of the JDK's recorder with spans of a tracer: (id, id of the outermost span, millisecond, operation)."""
    path = ct.WORK / name
    text = "".join(f"{span:x} {root:x} {ms} {operation}\n" for span, root, ms, operation in lines)
    subprocess.run([SPANS_MAKER, path], input=text.encode(), check=True)
    content = bytearray(path.read_bytes())
    struct.pack_into(">QQ", content, 32, start_ns, seconds * 1000 * MS)  # the start of the chunk, since the epoch, and its length
    return bytes(content)


def later(path, seconds):
    """The content of a recording of one chunk, which begins so many seconds later, and its start."""
    content = bytearray(path.read_bytes())
    start_ns = struct.unpack_from(">Q", content, 32)[0] + seconds * 1000 * MS
    struct.pack_into(">Q", content, 32, start_ns)
    return bytes(content), start_ns


def example():
    """70 samples of hot, 28 of cold, one truncated, two without a stack; the books balance."""
    lines = [("setting", "clock", "perf"), ("setting", "clock_resolution_ns", 1), ("setting", "interval_ns", 10 * MS),
             ("jvm", "OpenJDK 64-Bit Server VM (25) for linux", "demo.Main --port 80", 4711),
             ("thread", "main", 4711, 1), ("thread", "GC Thread#0", 4713, 0), ("thread", "GC Thread#0", 4713, 0)]
    for i in range(98):
        lines.append(("sample", 1, 10 * MS, "complete", HOT if i < 70 else COLD))
        lines.append(("execution", 1, HOT if i < 70 else COLD))
        if i == 50:
            lines += [("book", "cpu", "", 500 * MS, 0), ("cpu", 1, 480 * MS, 48), ("rotate",)]
    lines += [("sample", 1, 10 * MS, "truncated", "...;" + HOT), ("sample", 2, 5 * MS, "gc_active", FAILED),
              ("sample", 2, 5 * MS, "gc_active", FAILED)]
    lines += [("cpu", 1, 990 * MS, 99), ("cpu", 2, 8 * MS, 2), ("cpu", 3, 4 * MS, 2), ("cpu", 2, 9 * MS, 2),
              ("log", "warning", "something to know")]
    lines += [("book", "complete", "", 980 * MS, 98), ("book", "truncated", "", 10 * MS, 1),
              ("book", "failed", "gc_active", 10 * MS, 2), ("book", "lost", "queue_full", 20 * MS, 2),
              ("book", "unseen", "kernel", 30 * MS, 0), ("book", "residual", "", -1 * MS, 0),
              ("book", "own_cost", "", 4 * MS, 0), ("book", "cpu", "", 1049 * MS, 0)]
    return lines


def report_json(path, *options):
    result = ct.candor("report", "--json", *options, path)
    return json.loads(result.out) if result.status == 0 else {"failed": str(result)}


def by_name(rows):
    return {row["name"]: row for row in rows}
