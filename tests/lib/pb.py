"""Protocol buffers, for tests that write and read them by field numbers."""


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def message(*fields):
    """A message made of (field number, integer or bytes)."""
    return b"".join(varint(n << 3) + varint(v) if isinstance(v, int) else varint(n << 3 | 2) + varint(len(v)) + v for n, v in fields)


def fields(data):
    """Yields (field number, integer or bytes) for a message, one after the other; fixed-size numbers as integers."""
    at = 0

    def take():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(data):
        tag = take()
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            yield number, take()
            continue
        size = {1: 8, 5: 4}.get(wire) or take()
        part = data[at:at + size]
        at += size
        yield number, part if wire == 2 else int.from_bytes(part, "little")


def packed(value):
    """The numbers of a repeated field, whether it has one value or several packed ones."""
    return [value] if isinstance(value, int) else list(_varints(value))


def _varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0
