#!/usr/bin/env python3
"""Metrics that reach Prometheus: remote write 1.0 to a real one, 2.0 to its client library's receiver, retries and drops that are counted;
exemplars; the methods that use most; what promtool says of the metrics, and of the alerts in dist/; the dashboards over key metrics.

tier: default
timeout: 600
"""
import json
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import goclients
import pprofs
import prometheus
from servers import Server

S = 10**9
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
METHODS = {"a.Main.run": 6, "b.Hot.spin": 30, "c.Cold.rest": 3}  # seconds of CPU time in a minute
WRITE = "/api/v1/write"
DIST = ct.ROOT / "dist"


def fill(server):
    now = int(time.time())
    body = pprofs.make([("cpu", "nanoseconds")], [(name, [seconds * S]) for name, seconds in METHODS.items()])
    status, answer = server.send(body, service='sh"op', host="x", **{"from": now - 90, "until": now - 30})
    ct.ok(status == 200, "taken", answer)
    return answer["id"] if "id" in answer else None


def sample_of(lines, name):
    return next((line for line in lines if line.startswith(name)), "")


# ---- the text ----

def check_text(server, promtool):
    server.request("GET", "/v1/services", headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})
    for header in ("00-0-0-01", "00-" + "0" * 32 + "-00f067aa0ba902b7-01", "x"):
        server.request("GET", "/fleet.js", headers={"traceparent": header})
    ours = server.get("/v1/recordings", **{"from": "-1h", "to": "now"})["recordings"][0]["id"]
    plain = server.request("GET", "/metrics")[2].decode()
    status, headers, content = server.request("GET", "/metrics", headers={"Accept": "application/openmetrics-text"})
    lines = content.decode().splitlines()
    ct.ok(" # {" not in plain and status == 200 and "openmetrics" in headers["Content-Type"], "only OpenMetrics has exemplars")
    ct.ok(f' # {{recording="{ours}"}} 1 ' in sample_of(lines, "candor_server_recordings_stored_total "), "the recording stored last", lines)
    traced = [line for line in lines if f'# {{trace_id="{TRACE}"}} ' in line]
    ct.ok(len(traced) == 1 and traced[0].startswith('candor_server_request_seconds_bucket{route="query"'), "the trace of a request", traced)
    ct.ok(sum("trace_id" in line for line in lines) == 1, "a header that names no trace makes no exemplar", lines)
    key = server.request("GET", "/v1/metrics/prometheus")[2].decode()
    found = {m[1]: float(m[2]) for m in re.finditer(r'^candor_service_method_cpu\{service="sh\\"op",method="([^"]+)"\} (\S+)$', key, re.M)}
    rest = float(re.search(r'^candor_service_other_methods_cpu\{service="sh\\"op"\} (\S+)$', key, re.M)[1])
    ct.ok(found == {"a.Main.run": 0.1, "b.Hot.spin": 0.5} and abs(rest - 0.05) < 1e-6, "the two methods that use most, and the rest",
          (found, rest))
    if promtool:
        for what, text in (("/metrics", plain), ("/v1/metrics/prometheus", key)):
            status, said = prometheus.check(promtool, "metrics", text=text)
            wrong = [line for line in said.splitlines() if "error" in line.lower()]
            ct.ok(status in (0, 3) and not wrong, f"promtool reads {what}", said)  # 3: it would name something else


def check_dist(known, promtool):
    if promtool:
        status, said = prometheus.check(promtool, "rules", str(DIST / "prometheus" / "candor.rules.yml"))
        ct.ok(status == 0 and "SUCCESS" in said, "promtool reads the alerts", said)
        status, said = prometheus.check(promtool, "rules", str(DIST / "grafana" / "fleet.json"))
        ct.ok(status != 0, "and it would refuse another file", said)
    ours = ("candor_service_", "candor_services_", "candor_server_", "candor_recordings_")
    text = "".join(path.read_text() for path in (*(DIST / "grafana").glob("*.json"), DIST / "prometheus" / "candor.rules.yml"))
    asked = {name for name in re.findall(r"\bcandor_[a-z_]+", text) if name.startswith(ours)}
    ct.ok(len(asked) > 25 and asked <= known, "dashboards and alerts ask for metrics that the server has", sorted(asked - known))
    ct.ok(sum(name.startswith("candor_service_") for name in asked) > 12, "also for key metrics", sorted(asked))


# ---- remote write ----

def check_real(name, program, method):
    """To Prometheus itself: the values are those of a scrape, and exemplars arrive."""
    real = prometheus.Prometheus(name, program)
    server = Server(f"{name}-server", "--remote-write", real.url + WRITE, "--remote-write-interval", "1s", "--top-methods", "2")
    fill(server)
    server.request("GET", "/v1/services", headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})
    there = ct.wait_until(lambda: real.query(method) and real.query("candor_server_recordings_stored_total") != {} and
                          list(real.query("candor_server_recordings_stored_total").values()) == [1], 60)
    found = real.query(method)
    ct.ok(there and sorted(found.values()) == [0.1, 0.5], f"{name}: the methods arrive", found)
    labels = dict(next(iter(found)))
    ct.ok(labels["job"] == "candor-server" and labels["instance"].endswith(f":{server.port}") and labels["service"] == 'sh"op',
          f"{name}: with the labels of a scrape", labels)
    names = set(real.api("label/__name__/values"))
    text = server.request("GET", "/metrics")[2].decode() + server.request("GET", "/v1/metrics/prometheus")[2].decode()
    written = {re.match(r"[a-z_]+", line)[0] for line in text.splitlines() if not line.startswith("#")}
    ct.ok(written == names, f"{name}: all that a scrape gets, and nothing else", written ^ names)
    kinds = real.api("metadata", metric="candor_server_recordings_stored_total")
    exemplars = ct.wait_until(lambda: real.api("query_exemplars", query="candor_server_request_seconds_bucket", start=time.time() - 600,
                                               end=time.time() + 60), 60)
    ct.ok(exemplars and {x["labels"].get("trace_id") for one in exemplars for x in one["exemplars"]} == {TRACE},
          f"{name}: with the trace of a request", (exemplars, kinds))
    real.end()
    ct.ok(ct.wait_until(lambda: server.metrics()["candor_server_remote_write_failures_total"] > 0, 60),
          f"{name}: nobody takes samples any more, which is counted")
    ct.ok(fill_again(server), f"{name}: recordings are taken meanwhile")
    ct.ok(server.end() == 0, f"{name}: and the server ends")
    said = pathlib.Path(server.log.name).read_text()
    ct.ok(said.count("remote write: samples wait") == 1, f"{name}: the log says so once", said)


def fill_again(server):
    now = int(time.time())
    return server.send(b"a.A.b 3\n", service="other", **{"from": now - 90, "until": now - 30})[0] == 200


def check_receiver(program):
    """To the client library's receiver of 2.0, which first is too busy, then fails, then refuses."""
    token = ct.WORK / "remote-write-token"
    token.write_text("secret\n")
    receiver = ct.spawn([program, "503", "204", "400"], stdout=-1, text=True)
    port = int(receiver.stdout.readline())
    server = Server("remote-write-2", "--remote-write", f"http://127.0.0.1:{port}/", "--remote-write-interval", "2s",
                    "--remote-write-protocol", "2.0", "--remote-write-token-file", token)
    requests = [json.loads(receiver.stdout.readline()) for _ in range(4)]
    times = [r["at"] for r in requests]
    ct.ok([r["status"] for r in requests] == [503, 204, 400, 204] and times[0] == times[1] < times[2] < times[3],
          "a request that cannot be taken now comes again; one that is refused does not", requests)
    ct.ok(all(r["version"] == "2.0.0" and r["authorization"] == "Bearer secret" and r["first"] == "" for r in requests),
          "with the headers of 2.0, and the token", requests[0])
    series = {(s["labels"]["__name__"], *sorted(v for k, v in s["labels"].items() if k in ("route", "le", "reason", "protocol"))): s
              for s in requests[1]["series"]}
    ct.ok(len(series) > 100 and all({"job", "instance", "__name__"} <= set(s["labels"]) and abs(s["at"] / 1000 - time.time()) < 600
                                    for s in series.values()), "its series", list(series)[:3])
    stored, bucket = series[("candor_server_recordings_stored_total",)], series[("candor_server_request_seconds_bucket", "+Inf", "send")]
    ct.ok("COUNTER" in stored["type"] and "on disk" in stored["help"] and "HISTOGRAM" in bucket["type"], "with type and help",
          (stored, bucket))
    metrics = server.metrics()
    sent = metrics["candor_server_remote_write_samples_total"]
    dropped = metrics['candor_server_remote_write_dropped_samples_total{reason="refused"}']
    ct.ok(sent >= len(series) and dropped >= len(series) and metrics["candor_server_remote_write_failures_total"] >= 2,
          "what arrived and what was refused is counted", metrics)
    receiver.kill()
    ct.ok(server.end() == 0, "remote-write-2: ends")


def check_options():
    for options, words in ((("--remote-write", "prometheus:9090"), ("--remote-write", "URL", "http://")),
                           (("--remote-write-protocol", "3"), ("1.0 or 2.0",)), (("--remote-write-interval", "0s"), ("1s",)),
                           (("--top-methods", "101"), ("0 to 100",)), (("--trace-link", "jaeger/{trace}"), ("https://",)),
                           (("--trace-link", "https://jaeger/"), ("{trace}",)),
                           (("--trace-link", "https://jaeger/{id}"), ("'{id}'", "{trace}"))):
        result = ct.candor("server", "--data", ct.WORK / "never", *options)
        good = result.status == 2 and all(word in result.err for word in words) and result.err.count("\n") <= 2
        ct.ok(good, f"{options}: {words}", result)


def main():
    promtool, program = prometheus.tool("promtool"), prometheus.tool("prometheus")
    receiver = goclients.build("remote_write")
    pull = ct.WORK / "pull.conf"
    pull.write_text("[pull one]\nurl = http://127.0.0.1:1\nservice = gone\n")
    server = Server("prometheus", "--top-methods", "2", "--remote-write", "http://127.0.0.1:1/", "--pull", pull)
    fill(server)
    check_text(server, promtool)
    check_dist(set(prometheus.types(server)), promtool)
    server.end()
    if program:
        check_real("remote-write", program, "candor_service_method_cpu")
    if receiver:
        check_receiver(receiver)
    check_options()
    ct.done()


main()
