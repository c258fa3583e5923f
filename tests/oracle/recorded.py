"""A program that perf has recorded: stacks unwound by perf and walked by us, as pairs of lists of pcs."""
import collections
import re

import libraries
import perf_data
from standing import ct

WALKER = ct.BUILD / "tests" / "oracle" / "recorded_walk"
VDSO = ct.WORK / "vdso"
STACK_BYTES = 32768
DEEPEST = 1024
REGISTERS = "r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax rcx rsp rip".split()  # in the order of a ucontext
HEAD = re.compile(r"\s*(.*?)\s+\d+/(\d+)\s+(\d+)\.(\d{9}):")  # the thread's name, process, thread, seconds, nanoseconds
PC = re.compile(r"\s+([0-9a-f]+)\b")
NO_CALLER = 2**64 - 1  # the byte before a return address of 0, which perf reads from memory that it does not have

# Two walks of one sample. ended, leaf: as recorded_walk.c says; ended is "outside" if our list ends with the first pc that is in no file.
# The pcs are as perf prints them.
Pair = collections.namedtuple("Pair", "thread ours ended leaf theirs")


def command(path):
    """A prefix for the command of a program, to record it to this file. The rings are half of the memory that a user may lock."""
    return ["perf", "record", "--quiet", "--no-buildid", "--mmap-pages", "64", "-e", "cpu-clock:u", "-F", "499",
            "--call-graph", f"dwarf,{STACK_BYTES}", "-o", path, "--"]


class Process:
    """The description of one process for recorded_walk, and the places of its code."""

    def __init__(self):
        self.history, self.samples, self.mappings, self.code, self.known = [], [], [], [], set()

    def map(self, event):
        self.mappings.append(event)
        found = libraries.library(str(VDSO) if event.path == "[vdso]" else event.path)
        base = found.base(event.address, event.offset) if found else None
        if base is not None and (found, base) not in self.known:
            self.known.add((found, base))
            self.code.append(found.bounds(base))
            self.history += found.described(base)

    def sample(self, event):
        self.samples.append(event)
        values = [event.registers["rsp"], *event.stack, *(event.registers[name] for name in REGISTERS)]
        self.history.append("sample " + " ".join(f"{value:x}" for value in values))

    def is_outside(self, pc):
        return not any(low <= pc < high for low, high in self.code)

    def as_offset(self, pc):
        """The address in the file that is mapped there. A pc in no file stays as it is."""
        found = (at for at in reversed(self.mappings) if at.address <= pc < at.address + at.length)
        return next((pc - at.address + at.offset for at in found if at.path.startswith("/") or at.path == "[vdso]"), pc)


def processes(path):
    found = {}
    for event in perf_data.read(path):
        process = found.setdefault(event.pid, Process())
        if isinstance(event, perf_data.Mapping):
            process.map(event)
        else:
            process.sample(event)
    return found.values()


def our_walks(path, process):
    """[(how the walk ended, the kind of the leaf, [pc...])] for its samples"""
    history = ct.WORK / "history"
    history.write_text("\n".join(process.history) + "\n")
    answer = ct.run(WALKER, path, history)
    if answer.status != 0:
        raise RuntimeError(f"{WALKER}: {answer}")
    return [(words[0], words[1], [int(pc, 16) for pc in words[2:]]) for words in map(str.split, answer.out.splitlines())]


def their_walks(path):
    """{(thread, time): (thread's name, [pc...])} of all samples"""
    result = ct.run("perf", "script", "--no-inline", "--max-stack", DEEPEST, "--ns", "-F", "comm,pid,tid,time,ip", "-i", path)
    walks, pcs = {}, []
    for line in result.out.splitlines():
        if head := HEAD.match(line):
            name, tid, seconds, nanoseconds = head.groups()
            pcs = []
            walks[int(tid), int(seconds + nanoseconds)] = name, pcs
        elif (pc := PC.match(line)) and int(pc[1], 16) != NO_CALLER:
            pcs.append(int(pc[1], 16))
    return walks


def pairs(path):
    """The samples that were taken in the code of a file."""
    if not VDSO.exists():
        libraries.write_vdso(VDSO)
    walks, found = their_walks(path), []
    for process in processes(path):
        for sample, (ended, leaf, ours) in zip(process.samples, our_walks(path, process), strict=True):
            thread, theirs = walks.get((sample.tid, sample.time), ("", []))
            if not theirs or process.is_outside(ours[0]):
                continue
            first_outside = next((i for i, pc in enumerate(ours) if process.is_outside(pc)), None)
            if first_outside is not None:
                ours, ended = ours[:first_outside + 1], "outside"
            if theirs[0] != ours[0]:  # since 5.19 it prints offsets
                ours = [process.as_offset(pc) for pc in ours]
            found.append(Pair(thread, ours, ended, leaf, theirs))
    return found
