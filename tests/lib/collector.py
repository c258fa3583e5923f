"""A server that receives recordings as docs/formats/server-api.md says, and misbehaves on request.

    with Collector() as server:
        server.behave("503", times=3, retry_after=1)      # for the next three requests; then normally again
        ...
        server.taken            # [Taken]: each recording once, in the order of arrival

Ways to misbehave: a status ("503", "429", "500", "401", "400", "413"); "hang" (no answer until released); "cut" (the connection is
closed in the middle of the body); "mute" (the recording is accepted, and the connection closed before the answer). close() stops the
server, and open() starts it again on the same port.
"""
import collections
import hashlib
import http.server
import json
import ssl
import subprocess
import threading
import time
import urllib.parse

Taken = collections.namedtuple("Taken", "key labels body")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.server.owner.take(self)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True


class Collector:
    def __init__(self, token=None, certificate=None):
        self.certificate = certificate  # (certificate, key): it speaks TLS
        self.token, self.taken, self.requests, self.duplicates, self.problems = token, [], 0, 0, []
        self._keys, self._lock, self._faults, self._release = {}, threading.Lock(), collections.deque(), threading.Event()
        self.port, self._server = 0, None
        self.times = []  # of all requests
        self.open()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def open(self):
        self._server = Server(("127.0.0.1", self.port), Handler)
        self._server.owner = self
        if self.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self.certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        if self._server:
            self._release.set()
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def behave(self, fault, times=1, retry_after=None):
        with self._lock:
            self._faults.extend([(fault, retry_after)] * times)

    def release(self):
        """Lets what hangs go."""
        self._release.set()
        self._release = threading.Event()

    def faults_left(self):
        return len(self._faults)

    def take(self, request):
        if request.path == "/v1/profiles/poll":  # a server of before profiles on demand; what faults are for are recordings
            request.rfile.read(int(request.headers.get("Content-Length", 0)))
            self.answer(request, 404, {"error": "nothing can be sent here"})
            return
        with self._lock:
            self.requests += 1
            self.times.append(time.monotonic())
            fault, retry_after = self._faults.popleft() if self._faults else (None, None)
            release = self._release
        length = int(request.headers.get("Content-Length", 0))
        if fault == "cut":
            request.rfile.read(length // 2)
            request.close_connection = True
            request.connection.close()
            return
        body = request.rfile.read(length)
        if fault == "hang":
            release.wait(300)
            request.close_connection = True
            return
        if fault and fault.isdigit():
            self.answer(request, int(fault), {"error": "as told"}, retry_after)
            return
        status, answer = self.judge(request, body, length)
        if fault == "mute":
            request.close_connection = True
            request.connection.close()
            return
        self.answer(request, status, answer)

    def judge(self, request, body, length):
        url = urllib.parse.urlsplit(request.path)
        labels = dict(urllib.parse.parse_qsl(url.query, strict_parsing=True))
        key = request.headers.get("Idempotency-Key")
        if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
            return 401, {"error": "no token"}
        if len(body) != length or url.path != "/v1/recordings" or "service" not in labels:
            self.problems.append(f"bad request {request.path} {len(body)} of {length}")
            return 400, {"error": "bad request"}
        if key != hashlib.sha256(body).hexdigest():
            self.problems.append(f"the key {key} is not of the body")
        with self._lock:
            duplicate = key in self._keys
            self.duplicates += duplicate
            number = self._keys.setdefault(key, len(self._keys) + 1)
            if not duplicate:
                self.taken.append(Taken(key, labels, body))
        return 200, {"id": number, "duplicate": duplicate}

    def answer(self, request, status, answer, retry_after=None):
        text = json.dumps(answer).encode()
        try:
            request.send_response(status)
            if retry_after is not None:
                request.send_header("Retry-After", str(retry_after))
            request.send_header("Content-Type", "application/json")
            request.send_header("Content-Length", str(len(text)))
            request.end_headers()
            request.wfile.write(text)
        except OSError:
            pass  # the client went away


def unpacked(body):
    """The recording in a body, which must be packed with zstd."""
    return subprocess.run(["zstd", "-dc"], input=body, stdout=subprocess.PIPE, check=True).stdout
