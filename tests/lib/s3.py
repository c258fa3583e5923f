"""A service that speaks S3, for tests: it checks each signature by itself, and fails when a test asks for it.

Stub is in the test's own process. Moto is another program, if it is there (script/objects fetches it)."""
import hashlib
import hmac
import http.server
import os
import pathlib
import socket
import sys
import threading
import urllib.parse
import urllib.request

import candortest as ct

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "candor"
BUCKET, KEY, SECRET, REGION = "bucket", "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "eu-test-1"


def credentials(name="credentials", secret=SECRET):
    """A file as Amazon's programs have it."""
    path = ct.WORK / name
    path.write_text(f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = {secret}\n\n[other]\naws_access_key_id = x\n")
    return path


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signature(secret, method, path, query, headers, names, digest):
    """AWS's signature, version 4, of a request."""
    pairs = sorted(urllib.parse.parse_qsl(query, keep_blank_values=True))
    canonical = "&".join(f"{urllib.parse.quote(k, safe='-_.~')}={urllib.parse.quote(v, safe='-_.~')}" for k, v in pairs)
    lines = "".join(f"{name}:{' '.join(headers[name].split())}\n" for name in names)
    request = "\n".join((method, path, canonical, lines, ";".join(names), digest))
    date = headers["x-amz-date"]
    scope = f"{date[:8]}/{REGION}/s3/aws4_request"
    text = "\n".join(("AWS4-HMAC-SHA256", date, scope, hashlib.sha256(request.encode()).hexdigest()))
    key = f"AWS4{secret}".encode()
    for part in (date[:8], REGION, "s3", "aws4_request"):
        key = _hmac(key, part)
    return f"AWS4-HMAC-SHA256 Credential={KEY}/{scope}, SignedHeaders={';'.join(names)}, Signature={_hmac(key, text).hex()}"


def _tag(body):
    """The version of an object."""
    return None if body is None else f'"{hashlib.md5(body).hexdigest()}"'


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", tag=None):
        self.send_response(status)
        if tag:
            self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code):
        self.answer(status, f"<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>said the stub</Message></Error>".encode())

    def is_signed(self, path, query, body):
        headers = {name.lower(): value for name, value in self.headers.items()}
        given = headers.get("authorization", "")
        names = given.partition("SignedHeaders=")[2].partition(",")[0].split(";")
        digest = hashlib.sha256(body).hexdigest()
        return (headers.get("x-amz-content-sha256") == digest and {"host", "x-amz-content-sha256", "x-amz-date"} <= set(names)
                and given == signature(SECRET, self.command, path, query, headers, names, digest))

    def handle_one(self):
        stub = self.server.stub
        if stub.is_away:  # connections from before may still be open
            self.close_connection = True
            return None
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        bucket, _, name = urllib.parse.unquote(path).lstrip("/").partition("/")
        with stub.lock:
            fault = stub.fault and stub.fault(self.command, name)
        if isinstance(fault, int):
            return self.refuse(fault, "SlowDown")
        if not self.is_signed(path, query, body):
            return self.refuse(403, "SignatureDoesNotMatch")
        if bucket != BUCKET:
            return self.refuse(404, "NoSuchBucket")
        with stub.lock:
            old = stub.objects.get(name)
            version = _tag(old)
            if self.command == "PUT":
                wanted = self.headers.get("If-Match")
                if wanted and old is None:
                    return self.refuse(404, "NoSuchKey")
                source = self.headers.get("x-amz-copy-source")
                if source:
                    body = stub.objects.get(source.removeprefix(f"/{BUCKET}/"))
                    if body is None:
                        return self.refuse(404, "NoSuchKey")
                if not stub.ignores and (wanted not in (None, version) or (old is not None and self.headers.get("If-None-Match") == "*")):
                    return self.refuse(412, "PreconditionFailed")
                stub.objects[name] = body
                made = f"<CopyObjectResult><ETag>{_tag(body)}</ETag></CopyObjectResult>".encode() if source else b""
                return self.answer(200, fault(made) if fault else made, tag=_tag(body))
            if self.command == "DELETE":
                stub.objects.pop(name, None)
                return self.answer(204, fault(b"") if fault else b"")
            if not name:
                page = stub.listing(dict(urllib.parse.parse_qsl(query)))
                return self.answer(200, fault(page) if fault else page)
        if old is not None and self.headers.get("If-None-Match") == version:
            return self.answer(304, tag=version)
        return self.refuse(404, "NoSuchKey") if old is None else self.answer(200, fault(old) if fault else old, tag=version)

    do_GET = do_PUT = do_DELETE = handle_one


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that is killed in the middle of a request is no error."""


class Stub:
    """objects: by name. ignores: it knows no conditions. fault: None, or a function of method and name: a status, what becomes of
    the answer's bytes when all else is done, or None."""
    PAGE = 3

    def __init__(self, address="127.0.0.1"):
        self.objects, self.fault, self.ignores, self.lock, self.address, self.port = {}, None, False, threading.Lock(), address, 0
        self.start()

    def start(self):
        self.is_away = False
        self.server = _Server((self.address, self.port), _Handler)
        self.server.stub, self.port = self, self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        self.is_away = True
        self.server.shutdown()
        self.server.server_close()

    def listing(self, query):
        """A page of names, in order; its token is the last name, which has to be sent back escaped."""
        after = query.get("continuation-token", "")[1:] or query.get("start-after", "")
        names = sorted(name for name in self.objects if name.startswith(query.get("prefix", "")) and name > after)
        page, more = names[:self.PAGE], len(names) > self.PAGE
        keys = "".join(f"<Contents><Key>{name}</Key></Contents>" for name in page)
        token = f"<NextContinuationToken>+{page[-1]}</NextContinuationToken>" if more else ""
        return f"<ListBucketResult><IsTruncated>{str(more).lower()}</IsTruncated>{keys}{token}</ListBucketResult>".encode()

    def names(self):
        with self.lock:
            return sorted(self.objects)

    @property
    def url(self):
        return f"http://{self.address}:{self.port}"


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Moto:
    """Amazon's services as the developers of their clients imitate them. Its buckets are made by plain requests."""

    def __init__(self):
        self.port = _free_port()
        self.process = ct.spawn([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
                                env=self.environment(), stdout=-3, stderr=-3)
        ct.ok(ct.wait_until(self.answers, 60), "moto answers")

    @staticmethod
    def missing():
        works = ct.run(sys.executable, "-c", "import moto.server", env=Moto.environment()).status == 0
        return None if works else "it is not here; script/objects fetches it"

    @staticmethod
    def environment():
        return {**os.environ, "PYTHONPATH": str(CACHE / "moto")}

    def answers(self):
        try:
            return urllib.request.urlopen(urllib.request.Request(f"{self.url}/{BUCKET}", method="PUT"), timeout=10).status == 200
        except OSError:
            return False

    def stop(self):
        self.process.kill()
        self.process.wait()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"


OTHERS = (Moto,)
