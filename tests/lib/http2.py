"""HTTP/2 by hand (RFC 9113): frames as bytes, right and wrong, and what a server answers them."""
import socket
import struct
import time

import candortest as ct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, _, STREAM_CLOSED, FRAME_SIZE_ERROR, REFUSED_STREAM, CANCEL, \
    COMPRESSION_ERROR, _, ENHANCE_YOUR_CALM = range(12)
HEADER_TABLE_SIZE, _, MAX_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE = range(1, 7)

# Huffman codes of digits (RFC 7541, appendix B): a status is written with them.
DIGITS = {f"{i:05b}": str(i) for i in range(3)} | {f"{0x16 + i:06b}": str(i) for i in range(3, 10)}
STATUSES = {0x88: 200, 0x89: 204, 0x8a: 206, 0x8b: 304, 0x8c: 400, 0x8d: 404, 0x8e: 500}


def frame(kind, flags=0, stream=0, payload=b"", length=None):
    return struct.pack(">I", len(payload) if length is None else length)[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def text(value):
    """A string of HPACK that is not packed."""
    n, out = len(value), b""
    if n < 127:
        return bytes([n]) + value
    n -= 127
    out = b"\x7f"
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n]) + value


def fields(*pairs):
    """HPACK's literal fields that enter no table."""
    return b"".join(b"\0" + text(name.encode()) + text(value if isinstance(value, bytes) else value.encode()) for name, value in pairs)


def head(path="/healthz", method="GET", *more):
    return fields((":method", method), (":scheme", "http"), (":path", path), (":authority", "localhost"), *more)


def settings(*pairs):
    return frame(SETTINGS, payload=b"".join(struct.pack(">HI", *pair) for pair in pairs))


def request(stream, *arguments, end=True):
    return frame(HEADERS, END_HEADERS | (END_STREAM if end else 0), stream, head(*arguments))


def status_of(block):
    """The number in :status, the first field of an answer."""
    while block[0] & 0xe0 == 0x20:  # sizes of the table
        block = block[1:]
    if block[0] in STATUSES:
        return STATUSES[block[0]]
    at = 1 if block[0] & 0x40 or not block[0] & 0xf0 else None  # a name of the static table, that of :status
    value = block[at + 1:at + 1 + (block[at] & 127)]
    if not block[at] & 128:
        return int(value)
    bits = "".join(f"{one:08b}" for one in value)
    out = ""
    while len(out) < 3:
        n = 5 if bits[:5] in DIGITS else 6
        out, bits = out + DIGITS[bits[:n]], bits[n:]
    return int(out)


class Connection:
    """A connection that has begun, unless first has other bytes than the preface. Reads frames as (kind, flags, stream, payload)."""

    def __init__(self, port, first=None):
        self.raw = socket.create_connection(("127.0.0.1", port), ct.PATIENCE)
        self.rest, self.ended = b"", False
        self.send(PREFACE + settings() if first is None else first)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.raw.close()

    def send(self, *parts):
        """Whether all was sent; a server that closes meanwhile may not read the rest."""
        try:
            self.raw.sendall(b"".join(parts))
            return True
        except ConnectionError:
            return False

    def more(self):
        try:
            some = self.raw.recv(1 << 16)
        except ConnectionError:
            some = b""
        self.rest += some
        self.ended = not some
        return some

    def next(self):
        """The next frame, or None at the end."""
        while len(self.rest) < 9 or len(self.rest) < 9 + int.from_bytes(self.rest[:3], "big"):
            if not self.more():
                return None
        n = int.from_bytes(self.rest[:3], "big")
        kind, flags, stream = struct.unpack(">BBI", self.rest[3:9])
        payload, self.rest = self.rest[9:9 + n], self.rest[9 + n:]
        return kind, flags, stream, payload

    def until(self, wanted):
        """The first frame for which wanted(frame) holds, and all before it; (None, all) at the end."""
        seen = []
        while one := self.next():
            if wanted(one):
                return one, seen
            seen.append(one)
        return None, seen

    def answer(self, stream):
        """(status, content) of an answer; (None, error code) if the stream, or the connection, ends without one."""
        status, content = None, b""
        while one := self.next():
            kind, flags, of, payload = one
            if kind == GOAWAY:
                return None, struct.unpack(">I", payload[4:8])[0]
            if of != stream:
                continue
            if kind == RST_STREAM:
                return None, struct.unpack(">I", payload)[0]
            if kind == HEADERS and status in (None, 100):
                status = status_of(payload)
            if kind == DATA:
                content += payload
            if flags & END_STREAM and kind in (HEADERS, DATA):
                return status, content
        return None, "the end"

    def error(self):
        """("stream" or "connection", code) of the first error that the server names; a connection must end after it."""
        one, _ = self.until(lambda f: f[0] == GOAWAY or (f[0] == RST_STREAM))
        if one is None:
            return "the end", None
        if one[0] == RST_STREAM:
            return "stream", struct.unpack(">I", one[3])[0]
        self.raw.settimeout(ct.PATIENCE)
        while self.next():
            pass
        return "connection" if self.ended else "open", struct.unpack(">I", one[3][4:8])[0]

    def alive(self, stream):
        """Whether a request is answered on the connection."""
        self.send(request(stream))
        return self.answer(stream)[0] == 200


def took(begun):
    return time.monotonic() - begun
