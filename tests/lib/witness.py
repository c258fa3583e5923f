"""A proxy between an agent and a candor server: passes requests on, and keeps the accepted ones."""
import http.server
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        witness, length = self.server.witness, int(self.headers.get("Content-Length", -1))
        body = self.rfile.read(length) if length >= 0 else self.chunks()
        if len(body) < length:  # the program ended meanwhile
            return
        headers = {name: self.headers[name] for name in ("Content-Type", "Content-Encoding", "Authorization") if name in self.headers}
        status, sent, answer = witness.candor.request("POST", self.path, body, headers)
        witness.saw(status, self.path, self.headers["Content-Type"], body, answer)
        self.send_response(status)
        self.send_header("Content-Type", sent["Content-Type"])
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
    """taken: for each accepted request, its body, or the field jfr or profile of its form; forms: all fields; answers: the server's
    answers."""

    def __init__(self, candor):
        self.candor, self.taken, self.forms, self.paths, self.answers, self.refused = candor, [], [], [], [], []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads, self.server.witness = False, self  # close() waits for requests in progress
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def saw(self, status, path, kind, body, answer):
        if status != 200:
            self.refused.append((status, path, answer))
            return
        form = {"": body}
        if "boundary=" in kind:
            boundary = b"\r\n--" + kind.split("boundary=")[1].strip('"').encode()
            parts = (part.partition(b"\r\n\r\n") for part in (b"\r\n" + body).split(boundary))
            form = {head.split(b'name="')[1].split(b'"')[0].decode(): content for head, _, content in parts if b'name="' in head}
        self.taken += [content for name, content in form.items() if name in ("jfr", "profile", "")]
        self.forms.append(form)
        self.paths.append(path)
        self.answers.append(answer)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
