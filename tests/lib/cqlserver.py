"""A strict double of a server of CQL's native protocol, version 4, run as a program:
cqlserver.py [--tls CERTIFICATE KEY] [USER PASSWORD]

Prints its port. It knows the statements of YCSB's table, keeps rows in memory, and refuses whatever the protocol does not allow: a frame
of another version, a stream that is in use, a message before STARTUP or without a login, a statement that was not prepared, a wrong
number of values. After a line on standard input it prints, as JSON, how often each statement was executed.
"""
import asyncio
import json
import re
import ssl
import struct
import sys
import zlib

ERROR, STARTUP, READY, AUTHENTICATE, QUERY, RESULT, PREPARE, EXECUTE, AUTH_RESPONSE, AUTH_SUCCESS = (
    0x00, 0x01, 0x02, 0x03, 0x07, 0x08, 0x09, 0x0A, 0x0F, 0x10)
PROTOCOL_ERROR, BAD_CREDENTIALS, SYNTAX, INVALID, UNPREPARED = 0x000A, 0x0100, 0x2000, 0x2200, 0x2500


class Refusal(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Body:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if n < 0 or self.at + n > len(self.data):
            raise Refusal(PROTOCOL_ERROR, "a body is cut")
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, form):
        return struct.unpack(">" + form, self.take(struct.calcsize(form)))[0]

    def string(self):
        return self.take(self.number("H"))

    def bytes(self):
        return self.take(self.number("i"))

    def end(self):
        if self.at != len(self.data):
            raise Refusal(PROTOCOL_ERROR, f"{len(self.data) - self.at} bytes too many in a body")


STATEMENTS = [
    ("read", re.compile(r"SELECT (y_id(?:, field\d+)+) FROM (\w+) WHERE y_id = \?")),
    ("scan", re.compile(r"SELECT (y_id(?:, field\d+)+) FROM (\w+) WHERE token\(y_id\) >= token\(\?\) LIMIT \?")),
    ("write", re.compile(r"INSERT INTO (\w+) \((y_id(?:, field\d+)+)\) VALUES \(\?((?:, \?)+)\)")),
]


class Server:
    def __init__(self, login):
        self.login = login
        self.keyspaces, self.tables, self.rows, self.prepared, self.counts = set(), {}, {}, {}, {}

    def query(self, text, session):
        if found := re.fullmatch(r"CREATE KEYSPACE IF NOT EXISTS \"(\w+)\" WITH replication = \{.*\}", text):
            self.keyspaces.add(found[1])
        elif found := re.fullmatch(r"USE \"(\w+)\"", text):
            if found[1] not in self.keyspaces:
                raise Refusal(INVALID, f"Keyspace '{found[1]}' does not exist")
            session["keyspace"] = found[1]
        elif found := re.fullmatch(r"CREATE TABLE IF NOT EXISTS (\w+) \(y_id text PRIMARY KEY((?:, field\d+ text)+)\)", text):
            self.tables[session["keyspace"], found[1]] = re.findall(r"field\d+", found[2])
        else:
            raise Refusal(SYNTAX, f"no statement of this double: {text[:60]}")
        return struct.pack(">i", 1)

    def prepare(self, text, session):
        for kind, form in STATEMENTS:
            found = form.fullmatch(text)
            if not found:
                continue
            table, columns = (found[1], found[2]) if kind == "write" else (found[2], found[1])
            if (session.get("keyspace"), table) not in self.tables:
                raise Refusal(INVALID, f"unconfigured table {table}")
            columns = columns.split(", ")
            if kind == "write" and found[3].count("?") != len(columns) - 1:
                raise Refusal(INVALID, "columns and values differ in number")
            values = len(columns) if kind == "write" else 2 if kind == "scan" else 1
            key = struct.pack(">I", zlib.crc32(text.encode())) * 4
            self.prepared[key] = (kind, columns, values)
            return struct.pack(">iH", 4, len(key)) + key + struct.pack(">iiii", 4, 0, 0, 4) + struct.pack(">i", 0)
        raise Refusal(SYNTAX, f"no statement of this double: {text[:60]}")

    def execute(self, body):
        key, consistency, flags = body.string(), body.number("H"), body.number("B")
        if key not in self.prepared:
            raise Refusal(UNPREPARED, "Prepared query not found")
        if consistency > 10 or flags != 3:
            raise Refusal(PROTOCOL_ERROR, f"consistency {consistency}, flags {flags}")
        kind, columns, wanted = self.prepared[key]
        values = [body.bytes() for _ in range(body.number("H"))]
        body.end()
        if len(values) != wanted:
            raise Refusal(INVALID, f"{len(values)} values for {wanted} markers")
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if kind == "write":
            self.rows.setdefault(values[0], {}).update(zip(columns[1:], values[1:]))
            return struct.pack(">i", 1)
        names = [values[0]] if kind == "read" else sorted(self.rows)[:struct.unpack(">i", values[1])[0]]
        found = [(name, self.rows[name]) for name in names if name in self.rows]
        out = struct.pack(">iiii", 2, 4, len(columns), len(found))
        for name, row in found:
            for value in [name] + [row.get(column) for column in columns[1:]]:
                out += struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value
        return out

    def answer(self, opcode, body, session):
        if opcode == STARTUP:
            options = {body.string(): body.string() for _ in range(body.number("H"))}
            body.end()
            if b"CQL_VERSION" not in options:
                raise Refusal(PROTOCOL_ERROR, "STARTUP without CQL_VERSION")
            session["state"] = "login" if self.login else "ready"
            name = b"org.apache.cassandra.auth.PasswordAuthenticator"
            return (AUTHENTICATE, struct.pack(">H", len(name)) + name) if self.login else (READY, b"")
        if opcode == AUTH_RESPONSE and session["state"] == "login":
            if body.bytes() != b"\0" + b"\0".join(word.encode() for word in self.login):
                raise Refusal(BAD_CREDENTIALS, "Provided username and/or password are incorrect")
            session["state"] = "ready"
            return AUTH_SUCCESS, struct.pack(">i", -1)
        if session["state"] != "ready":
            raise Refusal(PROTOCOL_ERROR, f"message {opcode} before the login")
        if opcode == EXECUTE:
            return RESULT, self.execute(body)
        text = body.take(body.number("i")).decode()
        if opcode == QUERY:
            body.take(2), body.take(1)
        body.end()
        if opcode not in (QUERY, PREPARE):
            raise Refusal(PROTOCOL_ERROR, f"message {opcode}")
        return RESULT, (self.query if opcode == QUERY else self.prepare)(text, session)

    async def serve(self, reader, writer):
        session = {"state": "new"}
        try:
            while True:
                version, flags, stream, opcode, length = struct.unpack(">BBhBi", await reader.readexactly(9))
                body = Body(await reader.readexactly(length))
                try:
                    if version != 4 or flags or stream < 0:
                        raise Refusal(PROTOCOL_ERROR, f"version {version}, flags {flags}, stream {stream}")
                    kind, answer = self.answer(opcode, body, session)
                except Refusal as refusal:
                    text = str(refusal).encode()
                    kind, answer = ERROR, struct.pack(">iH", refusal.code, len(text)) + text
                writer.write(struct.pack(">BBhBi", 0x84, 0, stream, kind, len(answer)) + answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


async def main():
    words, context = sys.argv[1:], None
    if words[:1] == ["--tls"]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*words[1:3])
        del words[:3]
    double = Server(words)
    server = await asyncio.start_server(double.serve, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    while await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
        print(json.dumps(double.counts), flush=True)


asyncio.run(main())
