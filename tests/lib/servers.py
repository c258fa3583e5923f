"""A candor server for a test."""
import http.client
import json
import pathlib
import re
import resource
import signal
import ssl
import subprocess
import urllib.parse

import candortest as ct
import collector

DAY = {"from": "2023-11-14T00:00:00Z", "to": "2023-11-15T00:00:00Z"}  # that of recordings.make


def certificate(name):
    """(certificate, key) of localhost and 127.0.0.1, signed by itself."""
    made, key = ct.WORK / f"{name}.pem", ct.WORK / f"{name}-key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", made], check=True, stderr=subprocess.DEVNULL)
    return made, key


def client_certificate(name, authority, common, *extensions):
    """(certificate, key) of a client with this common name, signed by what certificate() returned."""
    made, key = ct.WORK / f"{name}.pem", ct.WORK / f"{name}-key.pem"
    more = [word for extension in ("basicConstraints=CA:FALSE", *extensions) for word in ("-addext", extension)]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={common}", *more, "-CA",
                    authority[0], "-CAkey", authority[1], "-keyout", key, "-out", made], check=True, stderr=subprocess.DEVNULL)
    return made, key


class Server:
    """tls: the result of certificate(); token: for requests to a server that requires one; wrapper: words before the command; address: by
    which this process reaches it, if it is on another host (netns.py)."""

    def __init__(self, name, *options, file_limit=None, port=0, tls=None, token=None, wrapper=(), address=None):
        self.data, self.tls, self.token, self.address = ct.WORK / name, tls, token, address or "127.0.0.1"
        listen = "0.0.0.0" if address else "127.0.0.1"
        options = [*options, *(["--tls-cert", tls[0], "--tls-key", tls[1]] if tls else [])]
        limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))) if file_limit else None
        self.log = open(ct.WORK / f"{name}.log", "ab")
        self.process = subprocess.Popen([*wrapper, ct.PROGRAM, "server", "--listen", f"{listen}:{port}", "--data", self.data, "--retain",
                                         "36500d", *map(str, options)], stdout=subprocess.PIPE, stderr=self.log, preexec_fn=limit)
        line = self.process.stdout.readline().decode()
        match = re.fullmatch(rf"listening on https?://{re.escape(listen)}:(\d+)\n", line)
        ct.ok(match, f"{name}: starts", line or pathlib.Path(self.log.name).read_text())
        self.port = int(match[1]) if match else 0

    @property
    def url(self):
        return f"http{'s' if self.tls else ''}://{self.address}:{self.port}"

    def connection(self):
        if not self.tls:
            return http.client.HTTPConnection(self.address, self.port, timeout=ct.PATIENCE)
        context = ssl.create_default_context(cafile=self.tls[0])
        return http.client.HTTPSConnection(self.address, self.port, timeout=ct.PATIENCE, context=context)

    def request(self, method, path, body=None, headers=None, **parameters):
        """(status, headers, body) of one request; parameters by urllib's rules, bytes as they are."""
        connection = self.connection()
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        bearer = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        connection.request(method, path + query, body, {**bearer, **(headers or {})})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def send(self, body, headers=None, **labels):
        status, _, content = self.request("POST", "/v1/recordings", body, headers, **labels)
        return status, json.loads(content)

    def get(self, path, **parameters):
        status, _, content = self.request("GET", path, **{**DAY, **parameters})
        return json.loads(content) if status == 200 else {"status": status, "error": content.decode(errors="replace")}

    def total(self, select="", **parameters):
        answer = self.get("/v1/methods", select=select, **parameters)
        return answer["server"]["total"] if "server" in answer else answer

    def metrics(self):
        text = self.request("GET", "/metrics")[2].decode()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))}

    def balances(self):
        """Whether received = stored + duplicates + refused + in progress, since it was started."""
        m = self.metrics()
        refused = sum(value for name, value in m.items() if name.startswith("candor_server_recordings_refused_total"))
        ended = sum(m[f"candor_server_recordings_{name}"] for name in ("stored_total", "duplicates_total", "in_progress"))
        return m["candor_server_recordings_received_total"] == ended + refused

    def recordings(self, **parameters):
        """All its recordings, as they were sent, for daemons.sums."""
        listed = self.get("/v1/recordings", limit=100000, **parameters)["recordings"]
        return [collector.Taken(one["digest"], one["labels"], self.request("GET", f"/v1/recordings/{one['id']}")[2]) for one in listed]

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        status = self.process.wait(ct.PATIENCE)
        self.process.stdout.close()
        self.log.close()
        return status
