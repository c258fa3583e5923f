"""A candor server of a test's own."""
import http.client
import json
import pathlib
import re
import resource
import signal
import subprocess
import urllib.parse

import candortest as ct

DAY = {"from": "2023-11-14T00:00:00Z", "to": "2023-11-15T00:00:00Z"}  # that of recordings.make


class Server:
    def __init__(self, name, *options, file_limit=None, port=0, wrapper=()):
        self.data = ct.WORK / name
        limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))) if file_limit else None
        self.log = open(ct.WORK / f"{name}.log", "ab")
        self.process = subprocess.Popen([*wrapper, ct.PROGRAM, "server", "--listen", f"127.0.0.1:{port}", "--data", self.data, "--retain",
                                         "36500d", *map(str, options)], stdout=subprocess.PIPE, stderr=self.log, preexec_fn=limit)
        line = self.process.stdout.readline().decode()
        match = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", line)
        ct.ok(match, f"{name}: starts", line or pathlib.Path(self.log.name).read_text())
        self.port = int(match[1]) if match else 0

    def request(self, method, path, body=None, headers=None, **parameters):
        """(status, headers, body) of one request; parameters by urllib's rules, bytes as they are."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ct.PATIENCE)
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        connection.request(method, path + query, body, headers or {})
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
        return {line.split()[0]: float(line.split()[1]) for line in text.splitlines() if not line.startswith("#")}

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        status = self.process.wait(ct.PATIENCE)
        self.process.stdout.close()
        self.log.close()
        return status
