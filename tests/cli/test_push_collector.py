#!/usr/bin/env python3
"""A whole OpenTelemetry Collector between a sender and the server: it takes profiles over HTTP and gRPC, and passes them on over gRPC and
HTTP, packed as it does by default. Each sum on the server is that of the same message without a Collector.

tier: full
timeout: 400
"""
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct
import goclients
import otlps
import stores
from servers import Server

NOW = int(time.time())
TIME = {"from": NOW - 3600, "to": NOW + 3600}
START = (NOW - 100) * 10**9
CPU = ("cpu", "nanoseconds", 50_000_000)
PROTOBUF = {"Content-Type": "application/x-protobuf"}

CONFIG = """
receivers:
  otlp/a: {{protocols: {{http: {{endpoint: "127.0.0.1:{a}"}}}}}}
  otlp/b: {{protocols: {{http: {{endpoint: "127.0.0.1:{b}"}}}}}}
exporters:
  otlp_grpc: {{endpoint: "{grpc}", tls: {{insecure: true}}}}
  otlp_http: {{endpoint: "{url}"}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines:
    profiles/a: {{receivers: [otlp/a], exporters: [otlp_grpc]}}
    profiles/b: {{receivers: [otlp/b], exporters: [otlp_http]}}
"""


def example(service):
    """Two hosts of a service, with two types of values, a label of samples, and frames of several lines."""
    maker = otlps.Maker()
    times = [START + i * 10**9 for i in range(7)]
    maker.resource({"service.name": service, "host.name": "h1", "service.version": "1.2"},
                   maker.profile("samples", "count", [("a", [], times[:5], {"thread.name": "t"}), ("b", [], times[5:])], START, CPU),
                   maker.profile("off_cpu", "nanoseconds", [("c", [700, 11], times[:2])], START))
    maker.resource({"service.name": service, "host.name": "h2", "k8s.pod.name": "p/1"},
                   maker.profile("samples", "count", [("only.here", [3], [])], START, CPU))
    return maker.message()


def seen(server, service):
    """All that the server says of a service: sums by type and label, the methods, and the series."""
    of = f'service="{service}"'
    types = {one["name"]: one["types"] for one in server.get("/v1/services", **TIME)["services"]}.get(service, {})
    by_host = [server.total(f"{of},{more}", type=kind, **TIME) for kind in types for more in ('host="h1",version="1.2"', 'host="h2"')]
    methods = [(row["name"], row["total"]) for row in server.get("/v1/methods", select=of, type="cpu:ns", **TIME)["report"]["methods"]]
    series = server.get("/v1/series", select=of, type="cpu:ns", step=1, **{"from": NOW - 101, "to": NOW})["series"]
    return types, by_host, sorted(methods), [one["points"] for one in series]


def post(port, message):
    """The status of a message to the Collector; None before it listens."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1development/profiles", message, PROTOBUF)
    try:
        with urllib.request.urlopen(request, timeout=ct.PATIENCE) as answer:
            return answer.status
    except urllib.error.HTTPError as answer:
        return answer.code
    except OSError:
        return None


def main():
    program = goclients.build("collector")
    if not program:
        ct.done()
        return
    server, log = Server("collector"), ct.WORK / "collector.log"
    a, b = stores.free_port(), stores.free_port()
    config = ct.WORK / "collector.yaml"
    config.write_text(CONFIG.format(a=a, b=b, grpc=f"127.0.0.1:{server.port}", url=server.url))
    status = server.request("POST", "/v1development/profiles", example("direct"), PROTOBUF)[0]
    wanted = seen(server, "direct")
    ct.ok(status == 200 and wanted[0] == {"cpu:ns": 500_000_000, "off_cpu:ns": 711}, "without a Collector", wanted)
    with open(log, "wb") as out:
        collector = subprocess.Popen([program, "--feature-gates=service.profilesSupport", "--config", config], stdout=out, stderr=out)
    for way, port in (("grpc", a), ("http", b)):
        service = f"collector-{way}"
        answered = ct.wait_until(lambda: collector.poll() is not None or post(port, example(service)) == 200)
        ct.ok(answered and collector.poll() is None, f"the Collector takes profiles for {way}", log.read_text()[-2000:])
        arrived = ct.wait_until(lambda: seen(server, service) == wanted)
        ct.ok(arrived, f"through a Collector and {way}, each sum, label, method and second is the same", (seen(server, service), wanted))
    collector.terminate()
    ct.ok(collector.wait(ct.PATIENCE) == 0, "the Collector ends normally, with nothing left to send", log.read_text()[-2000:])
    m = server.metrics()
    ct.ok(server.balances() and not m["candor_server_recordings_left_out_total"], "nothing was refused or left out", m)
    server.end()
    ct.done()


main()
