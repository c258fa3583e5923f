"""A back end that stores the requests it gets, decodes nothing, and passes them on to a candor server.

    with Relay(server.port) as relay:
        relay.fail.append(503)      # the next request gets this
        relay.url; relay.taken      # [(path, headers, body)]: requests that the server has answered with 200
"""
import http.client
import http.server
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        whole = b""
        while size := int(self.rfile.readline(), 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def do_POST(self):
        relay, body = self.server.owner, self.body()
        relay.requests += 1
        if relay.fail:
            status, said = relay.fail.pop(0), b"not now"
        else:
            connection = http.client.HTTPConnection("127.0.0.1", relay.to, timeout=60)
            connection.request("POST", self.path, body, {name: value for name, value in self.headers.items()
                                                         if name in ("Content-Type", "Content-Encoding", "Connect-Protocol-Version")})
            answer = connection.getresponse()
            status, said = answer.status, answer.read()
            connection.close()
            if status == 200:
                relay.taken.append((self.path, dict(self.headers), body))
        self.send_response(status)
        if status == 503:
            self.send_header("Retry-After", "1")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)


class Relay:
    def __init__(self, to):
        self.to, self.taken, self.fail, self.requests = to, [], [], 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads, self.server.owner = True, self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
