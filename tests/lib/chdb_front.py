"""ClickHouse's HTTP interface before chDB, which is today's engine as a library: enough of it for candor server.

usage: chdb_front.py DIRECTORY          prints its port"""
import http.server
import pathlib
import re
import sys
import threading
import urllib.parse

import chdb.session

ENGINE = chdb.session.Session(sys.argv[1] + "/data")
TURN = threading.Lock()  # the engine has one session
BODY = pathlib.Path(sys.argv[1], "body")


def insert(statement, body):
    """INSERT INTO table (columns) FORMAT RowBinary: the engine reads the rows from a file."""
    table, columns = re.fullmatch(r"INSERT INTO (\S+) \((.*)\) FORMAT RowBinary", statement).groups()
    kinds = ENGINE.query(f"SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = '{table}'", "TSV").data()
    kind = dict(line.split("\t") for line in kinds.splitlines())
    BODY.write_bytes(body)
    structure = ", ".join(f"{name} {kind[name]}" for name in columns.split(", "))
    return f"INSERT INTO {table} ({columns}) SELECT {columns} FROM file('{BODY}', 'RowBinary', '{structure}')"


class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with TURN:
            status, answer = self.ask(query, body)
        self.answer(status, answer)

    def ask(self, query, body):
        try:
            database = query.get("database", ["default"])[0]
            if database != "default":
                ENGINE.query(f"CREATE DATABASE IF NOT EXISTS {database}")
            ENGINE.query(f"USE {database}")
            statement = insert(query["query"][0], body) if "query" in query else body.decode()
            statement, binary = re.sub(r" FORMAT RowBinary$", "", statement), statement.endswith(" FORMAT RowBinary")
            return 200, bytes(ENGINE.query(statement, "RowBinary" if binary else "TSV").bytes() or b"")
        except Exception as error:  # the client has to see whatever the engine says
            return 500, str(error).encode()

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


front = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
print(front.server_port, flush=True)
front.serve_forever()
