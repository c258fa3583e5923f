"""ELF files that a process has mapped: to which bytes of its memory they belong, and what the agent's table of modules says about them."""
import functools
import re
import struct

LOAD, FRAME_HEADER, EXECUTABLE = 1, 0x6474e550, 1  # PT_LOAD, PT_GNU_EH_FRAME, PF_X
SEARCHABLE = b"\x01\x1b\x03\x3b"                   # the beginning of .eh_frame_hdr if it has the table that linkers write
PAGE = 4096


class Library:
    def __init__(self, path, image):
        self.path = path
        table, = struct.unpack_from("<Q", image, 32)
        size, count = struct.unpack_from("<HH", image, 54)
        # [(type, flags, offset, address, physical address, bytes in the file, bytes in memory, alignment)]
        headers = [struct.unpack_from("<IIQQQQQQ", image, table + i * size) for i in range(count)]
        self.loads = [(flags, offset, address, length) for kind, flags, offset, address, _, length, _, _ in headers if kind == LOAD]
        self.code = [load for load in self.loads if load[0] & EXECUTABLE]
        self.header, self.rows = 0, 0
        for kind, _, offset, address, *_ in headers:
            if kind == FRAME_HEADER and image[offset:offset + 4] == SEARCHABLE:
                self.header, self.rows = address, struct.unpack_from("<I", image, offset + 8)[0]

    def base(self, address, offset):
        """The difference to add to the file's addresses if the code at this offset was mapped at this address; None: it is not code."""
        for _, begin, first, length in self.code:
            if begin // PAGE * PAGE <= offset < begin + length:
                return address - (offset - begin + first)
        return None

    def bounds(self, base):
        """The range of its code in memory."""
        return base + min(load[2] for load in self.code), base + max(load[2] + load[3] for load in self.code)

    def described(self, base):
        """The lines that recorded_walk.c reads."""
        low, high = self.bounds(base)
        header = base + self.header if self.header else 0
        for _, offset, address, length in self.loads:
            yield f"segment {base + address:x} {offset:x} {length:x} {self.path}"
        yield f"module {low:x} {high:x} {header:x} {header + 12 if header else 0:x} {self.rows:x}"


@functools.lru_cache(None)
def library(path):
    """None when the file is no ELF file, or is gone."""
    try:
        with open(path, "rb") as file:
            image = file.read()
    except OSError:
        return None
    return Library(path, image) if image.startswith(b"\x7fELF\x02") else None


def write_vdso(path):
    """The library that the kernel maps into every process; it is the same in this process."""
    with open("/proc/self/maps") as maps:
        low, high = (int(bound, 16) for bound in re.search(r"^(\w+)-(\w+) .*\[vdso\]$", maps.read(), re.MULTILINE).groups())
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        memory.seek(low)
        path.write_bytes(memory.read(high - low))
