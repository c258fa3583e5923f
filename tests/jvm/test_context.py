#!/usr/bin/env python3
"""The context of samples, in a program whose methods show the right context: each sample within a scope has its context, and never
another one.

tier: default
timeout: 900

For a sample with a method of Requests on its stack there is one right answer: endpoint, trace, span and root span, all made from one
number, or none of them. Each sample must have it, and a thread must have no context of another thread's requests. That needs no
statistics: a scope is open before its method is called, and until the method has returned. The CPU time of endpoints is compared with
their threads' CPU clocks, with five standard errors of independent draws (6e-7 each), and 1 % of the whole for the time between a
scope's opening and the reading of the clock.
"""
import collections
import ctypes
import math
import os
import pathlib
import platform
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import jfrfile
from recordings import report_json

JAR = ct.BUILD / "candor-context.jar"
ENDPOINTS = {"cart": "GET /cart", "inner": "GET /cart", "pay": "POST /pay", "search": "GET /search", "slow": "GET /slow"}
NUMBERS = {"cart": 1, "inner": 1, "pay": 2, "search": 3}
INNER = 1 << 62
SAMPLES = ("candor.CpuSample", "candor.WallSample", "jdk.ObjectAllocationSample")
LONG = ct.TIER == "all"
# If other methods are inlined into a method, the JVM records only at calls and loops to which method an instruction belongs.
FLAGS = ["-Xmx128m", "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Requests.*"]


def program():
    target = ct.WORK / "requests"
    target.mkdir()
    source = pathlib.Path(__file__).with_name("Requests.java")
    subprocess.run([ct.compiler().javac, "--release", "8", "-nowarn", "-Xlint:-options", "-cp", JAR, "-d", target, source], check=True)
    return f"{target}:{JAR}"


def method_of(event):
    """The method of Requests that shows the right context; None if there is no such method, if a scope is being opened or closed, or if
    frames are missing."""
    if event["outcome"] != "complete":
        return None
    for frame in (event.get("stackTrace") or {}).get("frames", ()):
        name = ct.frame_of(frame)[0]
        if name.startswith("candor.context."):
            return None
        found = re.fullmatch(r"Requests\.(cart|inner|pay|search|nobody|slow)", name)
        if found:
            return found[1]
    return None


def is_right(method, context):
    if method == "nobody":
        return context is None
    if context is None or context.get("endpoint") != ENDPOINTS[method]:
        return False
    if method == "slow":
        return not {"trace_id", "span_id"} & context.keys()
    trace, span, root = context["trace_id"], context["span_id"], context["root_span_id"]
    number = int(trace[16:], 16)
    return (trace[:16] == trace[16:] == root and number & 15 == NUMBERS[method] and
            int(span, 16) == (number | INNER if method == "inner" else number) and
            context.get("tier") == ("gold" if method == "inner" else None))


def judge(what, path, wanted):
    """Compares each sample with its method. wanted: kinds of samples, and methods that must be among them."""
    seen, wrong, of_thread = collections.Counter(), [], collections.defaultdict(collections.Counter)
    for event in jfrfile.events(path, set(SAMPLES)):
        method, context = method_of(event), jfrfile.labels(event.get("context"))
        if not method:
            continue
        kind = "right" if is_right(method, context) else "none" if context is None else "wrong"
        seen[event["@type"], method, kind] += 1
        if kind == "wrong":
            wrong.append(f"{event['@type']} {method} {context}")
        thread = event["eventThread"]["javaThreadId"]
        if thread and context and "trace_id" in context:
            of_thread[thread][int(context["trace_id"][16:], 16) >> 40] += 1
    ct.note(f"{what}: {dict(seen)}")
    ct.ok(not wrong, f"{what}: no sample has another's context", "\n".join(wrong[:20]))
    strange = {thread: numbers for thread, numbers in of_thread.items() if len(numbers) > 1}
    ct.ok(len(of_thread) > 1 and not strange, f"{what}: each of {len(of_thread)} threads has its own requests alone", strange)
    for kind, methods in wanted.items():
        for method in methods:
            right, none = seen[kind, method, "right"], seen[kind, method, "none"]
            ct.ok(right >= 20 and not none, f"{what}: {right} of {right + none} {kind} in {method} have theirs")
    return seen


def shares(what, path, cpu):
    """Compares the weights in the report with the threads' own clocks, for each endpoint and for work without one."""
    values = report_json(path, "--group-by", "endpoint", "--method", r"^Requests\.requests$")["label"]["values"]
    table = {row["value"]: row for row in values}
    weight, number = sum(row["self"] for row in table.values()), sum(row["samples"] for row in table.values())
    for name, truth in zip(("GET /cart", "POST /pay", "GET /search", None), cpu):
        share, wanted = table.get(name, {"self": 0})["self"] / weight, truth / sum(cpu)
        bound = 5 * math.sqrt(wanted * (1 - wanted) / number) + 0.01
        ct.ok(abs(share - wanted) <= bound, f"{what}: {name or 'nobody'} {share:.3f}, by its clocks {wanted:.3f} +- {bound:.3f}")


def serve(jdk, classes, kind, threads, rounds, agent):
    with ct.Jvm(jdk, "-cp", classes, "Requests", kind, str(threads), str(rounds), agent=agent, flags=FLAGS) as jvm:
        answer = jvm.expect("cpu")
        ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())
        ct.ok(not jvm.err or agent is None, f"{jdk}: and says nothing", jvm.transcript())
    return [int(word) for word in answer.split()[1:]]


def on_platform_threads(jdk, classes):
    what, path = f"{jdk}", ct.WORK / f"platform-{jdk.version}.jfr"
    event = "cpu,wall,alloc" if jdk.version >= 11 else "cpu,wall"
    agent = ct.agent_options(file=path, event=event, interval="500us", **{"wall-interval": "10ms"})
    cpu = serve(jdk, classes, "platform", 3, 12000 if LONG else 2500, agent)
    wanted = {"candor.CpuSample": ("cart", "inner", "pay", "search", "nobody"), "candor.WallSample": ("slow",)}
    seen = judge(what, path, wanted)
    if jdk.version >= 11:
        allocations = {m: seen["jdk.ObjectAllocationSample", m, "right"] for m in ("pay", "nobody")}
        ct.ok(all(allocations.values()), f"{what}: allocations are somebody's, too", allocations)
    shares(what, path, cpu)


def are_whole(what, path):
    """Stacks of virtual threads whose lower frames are in the heap; they include the lambda with its seven arguments. One in three
    hundred is cut while frames come back to the stack (test_virtual.py has a bound for programs that do nothing else)."""
    outcomes = collections.Counter(event["outcome"] for event in jfrfile.events(path, {"candor.CpuSample"})
                                   if any(ct.frame_of(frame)[0] == "Requests.requests" for frame in event["stackTrace"]["frames"]))
    cut = sum(outcomes.values()) - outcomes["complete"]
    ct.ok(cut <= 0.02 * sum(outcomes.values()), f"{what}: hardly any stack is cut", outcomes)


def on_virtual_threads(jdk, classes):
    what, path = f"{jdk}, virtual", ct.WORK / f"virtual-{jdk.version}.jfr"
    agent = ct.agent_options(file=path, interval="500us")
    serve(jdk, classes, "virtual", 40, 900 if LONG else 130, agent)
    judge(what, path, {"candor.CpuSample": ("cart", "inner", "pay", "search", "nobody")})
    are_whole(what, path)


def on_virtual_threads_of_before(jdk, classes):
    """The agent is loaded when threads already exist."""
    what, path = f"{jdk}, virtual, attached", ct.WORK / f"attached-{jdk.version}.jfr"
    with ct.Jvm(jdk, "-cp", classes, "Requests", "waiting", "40", "130", flags=FLAGS) as jvm:
        jvm.expect("waiting")
        started = ct.attach(jvm, path, "500us")
        ct.ok(started.status == 0, f"{what}: a recording is started", started)
        jvm.say("go")
        jvm.expect("cpu")
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    judge(what, path, {"candor.CpuSample": ("cart", "inner", "pay", "search", "nobody")})
    are_whole(what, path)


def without_agent(jdk, classes):
    cpu = serve(jdk, classes, "platform", 1, 200, None)
    ct.ok(len(cpu) == 4 and all(cpu), f"{jdk}: without the agent nothing happens", cpu)


# -- a reader outside --------------------------------------------------------------------------------------------------

PTRACE_ATTACH, PTRACE_DETACH, PTRACE_GETREGS, FS_BASE, REGISTERS, WALL = 16, 17, 12, 21, 27, 0x40000000


def thread_pointer(tid):
    """Reads the memory of a thread that is stopped for just as long as that takes."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    registers = (ctypes.c_ulonglong * REGISTERS)()
    if libc.ptrace(PTRACE_ATTACH, tid, None, None):
        raise OSError(ctypes.get_errno(), "ptrace")
    os.waitpid(tid, WALL)
    failed = libc.ptrace(PTRACE_GETREGS, tid, None, ctypes.byref(registers))
    libc.ptrace(PTRACE_DETACH, tid, None, None)
    if failed:
        raise OSError("ptrace")
    return registers[FS_BASE]


def library_base(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and fields[5].endswith(name) and fields[2] == "00000000":
            return int(fields[0].split("-")[0], 16)
    raise RuntimeError(f"{name} is not mapped")


def slot_of_offset():
    """The place in the agent's library where the loader has put the variable's offset from the thread pointer."""
    text = subprocess.run(["readelf", "--relocs", "--wide", ct.AGENT], check=True, capture_output=True, text=True).stdout
    found = re.search(r"^([0-9a-f]+)\s.*R_X86_64_TPOFF64\s+[0-9a-f]+\s+otel_thread_ctx_v1 \+ 0", text, re.MULTILINE)
    return int(found[1], 16) if found else None


class Outside:
    """Another process's memory."""

    def __init__(self, pid):
        self.file = open(f"/proc/{pid}/mem", "rb", buffering=0)

    def read(self, at, size):
        self.file.seek(at)
        return self.file.read(size)

    def word(self, at):
        return struct.unpack("<q", self.read(at, 8))[0]


def fields(message):
    """{number: [its bytes]} of a protobuf message that consists only of fields with a length."""
    out, at = collections.defaultdict(list), 0

    def varint():
        nonlocal at
        number = shift = 0
        while True:
            byte = message[at]
            at += 1
            number |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return number
    while at < len(message):
        tag, size = varint(), varint()
        out[tag >> 3].append(message[at:at + size])
        at += size
    return out


def process_context(pid, memory):
    """{name: text, or list of texts} of the attributes in OTEL_CTX."""
    line = next(line for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines() if "OTEL_CTX" in line)
    head = memory.read(int(line.split("-")[0], 16), 32)
    signature, version, size, published, payload = struct.unpack("<8sIIQQ", head)
    if signature != b"OTEL_CTX" or version != 2 or not published:
        return {"head": head}
    out = {}
    for pair in fields(memory.read(payload, size))[2]:
        name, value = fields(pair)[1][0].decode(), fields(fields(pair)[2][0])
        out[name] = [fields(one)[1][0].decode() for one in fields(value[5][0])[1]] if 5 in value else value[1][0].decode()
    return out


def attributes(record, keys):
    size, at, out = struct.unpack("<H", record[26:28])[0], 28, {}
    while at + 2 <= 28 + size:
        key, length = record[at], record[at + 1]
        out[keys[key]] = record[at + 2:at + 2 + length].decode()
        at += 2 + length
    return out


def from_outside(jdk, classes):
    slot = slot_of_offset() if platform.machine() == "x86_64" and shutil.which("readelf") else None
    if slot is None:
        ct.skip("a reader outside", "knows the thread pointer of x86-64 alone, and needs readelf")
        return
    with ct.Jvm(jdk, "-cp", classes, "Requests", "held", agent=ct.agent_options()) as jvm:
        ct.ok(jvm.expect("ready") == "ready true", f"{jdk}: the program sees that it is watched")
        tid = next(tid for tid in jvm.threads() if pathlib.Path(f"/proc/{jvm.pid}/task/{tid}/comm").read_text().strip() == "held")
        memory = Outside(jvm.pid)
        context = process_context(jvm.pid, memory)
        keys = context.get("threadlocal.attribute_key_map", [])
        ct.ok(keys == ["endpoint", "root_span_id", "tier"] and context.get("threadlocal.schema_version") == "tlsdesc_v1_dev",
              f"{jdk}: the process context names the keys", context)
        offset = memory.word(library_base(jvm.pid, ct.AGENT.name) + slot)
        record = memory.read(memory.word(thread_pointer(tid) + offset), 640)
        ct.ok(record[:16].hex() == "0123456789abcdeffedcba9876543210" and record[16:24].hex() == "1122334455667788" and record[24] == 1,
              f"{jdk}: another process reads the thread's trace and span", record[:28].hex())
        ct.ok(attributes(record, keys) == {"endpoint": "GET /held", "root_span_id": "1122334455667788", "tier": "gold"},
              f"{jdk}: and its attributes", record[:96].hex())
        jvm.finish()
        ct.ok("ended" in jvm.out, f"{jdk}: the program ends normally", jvm.transcript())


def main():
    ct.need(ct.AGENT, ct.PROGRAM, JAR)
    classes = program()
    jdks = ct.jdks()
    for jdk in jdks:
        on_platform_threads(jdk, classes)
        if jdk.version >= 21:
            on_virtual_threads(jdk, classes)
            on_virtual_threads_of_before(jdk, classes)
    for jdk in jdks[-1:] if not LONG else jdks:
        without_agent(jdk, classes)
        from_outside(jdk, classes)
    ct.done()


main()
