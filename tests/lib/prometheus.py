"""Prometheus and promtool, which script/prometheus fetches."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import urllib.parse
import urllib.request

import candortest as ct

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "candor" / "prometheus"


def tool(name):
    """The program's path, or None after a skip."""
    found = CACHE / name if (CACHE / name).exists() else shutil.which(name)
    if not found:
        ct.skip(name, "it is not here; script/prometheus fetches it")
    return found


def check(promtool, *arguments, text=None):
    """(status, output) of promtool check."""
    done = subprocess.run([promtool, "check", *arguments], input=text, capture_output=True, text=True, timeout=ct.PATIENCE, check=False)
    return done.returncode, done.stdout + done.stderr


def types(server):
    """{name: type} of all metrics that a server may have: those it has, and key metrics of services that it has no data of."""
    text = server.request("GET", "/metrics")[2].decode() + server.request("GET", "/v1/metrics/prometheus")[2].decode()
    found = dict(line.split()[2:4] for line in text.splitlines() if line.startswith("# TYPE "))
    parts = {name + end: "counter" for name, kind in found.items() if kind == "histogram" for end in ("_bucket", "_sum", "_count")}
    table = (ct.ROOT / "docs/formats/key-metrics.md").read_text()
    return {**found, **parts, **{f"candor_service_{name}": "gauge" for name in re.findall(r"^\| `(\w+)` \| .* \| .* \|", table, re.M)}}


class Prometheus:
    """A Prometheus that takes remote write, and exemplars."""

    def __init__(self, name, program):
        folder = ct.WORK / name
        folder.mkdir()
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        (folder / "prometheus.yml").write_text("global: {}\n")
        self.log = open(folder / "log", "wb")
        self.process = ct.spawn([program, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                                 f"--web.listen-address=127.0.0.1:{self.port}", "--web.enable-remote-write-receiver",
                                 "--enable-feature=exemplar-storage", "--log.level=warn"], stdout=self.log, stderr=self.log)
        ct.ok(ct.wait_until(self.ready, 60), f"{name}: Prometheus is ready", (folder / "log").read_text(errors="replace"))

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def ready(self):
        try:
            with urllib.request.urlopen(f"{self.url}/-/ready", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def api(self, path, **parameters):
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=ct.PATIENCE) as answer:
            return json.load(answer)["data"]

    def query(self, expression):
        """{labels without __name__: value}"""
        found = self.api("query", query=expression)["result"]
        return {tuple(sorted((k, v) for k, v in one["metric"].items() if k != "__name__")): float(one["value"][1]) for one in found}

    def end(self):
        self.process.terminate()
        self.process.wait(ct.PATIENCE)
        self.log.close()
