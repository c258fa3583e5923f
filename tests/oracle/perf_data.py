"""Reads the file of `perf record --call-graph dwarf`: the mappings, and the samples with their registers and the places of their stack
copies in the file.

The file is described in Linux's tools/perf/Documentation/perf.data-file-format.txt, its records in include/uapi/linux/perf_event.h.
"""
import collections
import mmap
import struct

SIGNATURE = b"PERFILE2"
MMAP2, SAMPLE = 10, 9       # enum perf_event_type
COMPRESSED = (81, 83)       # of perf's own records
EXECUTABLE = 4              # PROT_EXEC
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCHES, REGS_USER, STACK_USER = (1 << bit for bit in range(14))
IDENTIFIER = 1 << 16
HEAD = (IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD)  # fields of a sample, 8 bytes each if they are requested
BEHIND_TIME = (ID, STREAM_ID, CPU, IDENTIFIER)                        # in the last bytes of every other record
REGISTERS = ("rax rbx rcx rdx rsi rdi rbp rsp rip flags cs ss ds es fs gs r8 r9 r10 r11 r12 r13 r14 r15").split()

# Code in the memory of a process; a sample. stack: (offset in the recording, bytes).
Mapping = collections.namedtuple("Mapping", "time pid address length offset path")
Sample = collections.namedtuple("Sample", "time pid tid registers stack")


class Unsupported(Exception):
    pass


class Layout:
    """The layout of an event's records, from the fields of its perf_event_attr."""

    def __init__(self, attr):
        self.fields, = struct.unpack_from("<Q", attr, 24)
        mask, = struct.unpack_from("<Q", attr, 80)
        self.registers = [name for bit, name in enumerate(REGISTERS) if mask >> bit & 1]
        if self.fields & (READ | RAW | BRANCHES) or not self.fields & REGS_USER or not self.fields & TIME:
            raise Unsupported(f"samples with fields {self.fields:#x}")

    def has(self, fields):
        return 8 * sum(bool(self.fields & field) for field in fields)

    def time(self, data, end):
        return struct.unpack_from("<Q", data, end - self.has(BEHIND_TIME) - 8)[0]

    def sample(self, data, at):
        """None for a sample without user registers, from a kernel thread."""
        place = {field: at + self.has(HEAD[:i]) for i, field in enumerate(HEAD)}
        pid, tid = struct.unpack_from("<II", data, place[TID])
        time, = struct.unpack_from("<Q", data, place[TIME])
        at += self.has(HEAD)
        if self.fields & CALLCHAIN:
            at += 8 + 8 * struct.unpack_from("<Q", data, at)[0]
        abi, = struct.unpack_from("<Q", data, at)
        if not abi:
            return None
        registers = dict(zip(self.registers, struct.unpack_from(f"<{len(self.registers)}Q", data, at + 8)))
        at += 8 + 8 * len(self.registers)
        room, = struct.unpack_from("<Q", data, at)
        copied, = struct.unpack_from("<Q", data, at + 8 + room) if room else (0,)
        return Sample(time, pid, tid, registers, (at + 8, copied))


def mapping(data, at, time):
    """None for a mapping that is not code."""
    pid, _, address, length, offset = struct.unpack_from("<IIQQQ", data, at)
    if not data[at + 56] & EXECUTABLE:
        return None
    path = data[at + 64:data.find(b"\0", at + 64)]
    return Mapping(time, pid, address, length, offset, path.decode("utf-8", "replace"))


def records(data, at, end):
    while at < end:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        yield kind, at + 8, at + size
        at += size


def read(path):
    """The Mappings and Samples of the recording in order of time; Unsupported if it is of a kind that this reader does not know."""
    with open(path, "rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if data[:8] != SIGNATURE:
        raise Unsupported("not a file of perf's on this processor")
    attr_size, attrs, attrs_bytes, begin, length = struct.unpack_from("<5Q", data, 16)
    layouts = [Layout(data[at:at + attr_size]) for at in range(attrs, attrs + attrs_bytes, attr_size)]
    if len(layouts) != 1:
        raise Unsupported(f"{len(layouts)} events in place of one")
    layout, found = layouts[0], []
    for kind, at, end in records(data, begin, begin + length):
        if kind in COMPRESSED:
            raise Unsupported("compressed")
        if kind == SAMPLE:
            found.append(layout.sample(data, at))
        elif kind == MMAP2:
            found.append(mapping(data, at, layout.time(data, end)))
    return sorted((event for event in found if event), key=lambda event: event.time)
