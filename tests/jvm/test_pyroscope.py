#!/usr/bin/env python3
"""Pyroscope's own Java agent in a JVM, sending to /ingest: the sum of what it sent is what the server shows and what it pruned, exactly.

tier: default
timeout: 600

Between agent and server stands a witness, which keeps what passes: what its recordings hold the tests' own reader says.
"""
import gzip
import http.server
import os
import pathlib
import sys
import threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct
from servers import Server

INTERVAL = 10_000_000
UPLOADS = 3
HOUR = {"from": "-1h", "to": "now"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        witness, length = self.server.witness, int(self.headers.get("Content-Length", -1))
        body = self.rfile.read(length) if length >= 0 else self.chunks()
        if len(body) < length:  # the JVM ended meanwhile
            return
        headers = {name: self.headers[name] for name in ("Content-Type", "Authorization") if name in self.headers}
        status, _, answer = witness.candor.request("POST", self.path, body, headers)
        witness.saw(status, self.path, self.headers["Content-Type"], body)
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def chunks(self):
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body


class Witness:
    """Passes requests on to a candor server and keeps the recordings that were taken."""

    def __init__(self, candor):
        self.candor, self.taken, self.paths, self.refused = candor, [], [], []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads, self.server.witness = False, self  # close() waits for what is on its way
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def saw(self, status, path, kind, body):
        if status != 200:
            self.refused.append((status, path))
            return
        boundary = b"\r\n--" + kind.split("boundary=")[1].strip('"').encode()
        parts = (part.partition(b"\r\n\r\n") for part in (b"\r\n" + body).split(boundary))
        self.taken += [content for head, _, content in parts if b'name="jfr"' in head]
        self.paths.append(path)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def fetch():
    result = ct.run(HERE / "fetch_pyroscope.sh", timeout=200)
    if result.status:
        ct.skip("Pyroscope's Java agent", f"it cannot be fetched: {' '.join(result.err.split())[-200:]}")
        return None
    return result.out.strip()


def samples_of(recordings):
    """(how many, the methods at their tops), by the tests' own reader."""
    count, tops, path = 0, set(), ct.WORK / "source.jfr"
    for body in recordings:
        path.write_bytes(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
        for event in ct.jfrfile.events(path):
            if event["@type"] == "jdk.ExecutionSample":
                count += 1
                tops.add(ct.frame_of(event["stackTrace"]["frames"][0])[0])
    return count, tops


def main():
    ct.need(ct.PROGRAM, ct.BUILD / "candor-server")
    jar, jdk = fetch(), ct.jdk(17)
    if not jar or not jdk:
        if not jdk:
            ct.skip("Pyroscope's Java agent", "JDK 17 is not cached; run script/jdks")
        ct.done()
    server = Server("pyroscope")
    witness = Witness(server)
    settings = {"SERVER_ADDRESS": witness.url, "APPLICATION_NAME": "ring", "LABELS": "region=eu,pod=a-1", "FORMAT": "jfr",
                "UPLOAD_INTERVAL": "2s", "PROFILING_INTERVAL": f"{INTERVAL // 1_000_000}ms", "PROFILER_EVENT": "itimer"}
    environment = {**os.environ, **{f"PYROSCOPE_{name}": value for name, value in settings.items()}}
    with ct.Jvm(jdk, "TwoMethods", flags=[f"-javaagent:{jar}", "-Xmx128m"], env=environment) as jvm:
        jvm.expect("ready")
        while len(witness.taken) < UPLOADS and not witness.refused:
            jvm.round(seconds=1, threads=1)
        ct.ok(jvm.finish() == 0, "the JVM ends well", jvm.transcript())
    witness.close()
    ct.ok(len(witness.taken) >= UPLOADS and not witness.refused, f"{len(witness.taken)} recordings are taken", witness.refused)
    count, tops = samples_of(witness.taken)
    ct.note(urllib.parse.unquote(witness.paths[0]) if witness.paths else "nothing came")
    ct.ok(count >= 50 and "TwoMethods.heavy" in tops, f"they hold {count} samples", tops)
    total = server.total(**HOUR)
    ct.ok(total == count * INTERVAL, f"the server's sum is theirs: {total} ns", count * INTERVAL)
    for nodes in (5, 20000):
        few = server.get("/v1/flamegraph", max_nodes=nodes, **HOUR)["server"]
        ct.ok(few["shown"] + few["pruned"] == count * INTERVAL and (few["pruned"] > 0) == (nodes == 5) and not few["unreadable"],
              f"{nodes} nodes: shown {few['shown']} + pruned {few['pruned']} is that sum", few)
    services = server.get("/v1/services", **HOUR)["services"]
    ct.ok(len(services) == 1 and services[0]["name"].startswith("ring") and services[0]["labels"].get("region") == ["eu"] and
          services[0]["labels"].get("pod") == ["a-1"] and services[0]["recordings"] == len(witness.taken), "its service and labels",
          services)
    methods = {row["name"]: row["self"] for row in server.get("/v1/methods", **HOUR)["report"]["methods"]}
    ct.ok(max(methods, key=methods.get, default=None) == "TwoMethods.heavy", "and its hottest method", methods)
    ct.ok(server.balances(), "received = stored + duplicates + refused + on their way", server.metrics())
    ct.ok(server.end() == 0, "the server ends well")
    ct.done()


if __name__ == "__main__":
    main()
