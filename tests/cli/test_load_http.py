#!/usr/bin/env python3
"""candor load against a scripted server, programs and the mock: no request is missing from its figures, and wrong usage is reported.

tier: default
timeout: 300
"""
import json
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SERVER = pathlib.Path(__file__).resolve().parents[1] / "lib" / "loadserver.py"


def server(*certificate):
    process = ct.spawn([sys.executable, SERVER, *certificate], stdout=subprocess.PIPE)
    return f"{'https' if certificate else 'http'}://127.0.0.1:{int(process.stdout.readline())}"


def load(*arguments):
    """Its result, and the result as JSON if there is one."""
    result = ct.candor("load", "--json", "-q", *arguments)
    return result, json.loads(result.out) if result.out.startswith("{") else {}


def is_whole(figures):
    """Every request is a sample: service times for all requests that were sent, the two other times for all that were due."""
    kinds = figures["outcomes"]
    sent = sum(kinds.values()) - kinds["unsent"]
    due = sum(kinds.values())
    return (figures["service"]["count"] == sent
            and ("response" not in figures or figures["response"]["count"] == due == figures["wait"]["count"])
            and figures["completed"] == kinds["answered"] + kinds["refused"])


def saturated_mock():
    """C.6 of the theory: with N answers in D seconds at a rate of R, the longest response is D - N / R."""
    for seconds in (6, 60):
        log = ct.WORK / "mock.hlog"
        _, f = load("--mock", "delay=4ms", "-c", "1", "-r", "1000", "-d", f"{seconds}s", "--virtual-time", "-o", log)
        wanted = seconds - f["completed"] / 1000
        ct.ok(f["completed"] == seconds * 250 and abs(f["service"]["mean_ns"] / 4e6 - 1) < 1e-3,
              f"{seconds} s: the service time is 4 ms", f)
        ct.ok(abs(f["response"]["max_ns"] / 1e9 / wanted - 1) < 0.01, f"the longest response is D - N/R = {wanted} s",
              f["response"])
        ct.ok(abs(f["response"]["mean_ns"] / 1e9 / (wanted / 2) - 1) < 0.01, "the mean is half of it", f["response"])
        ct.ok(is_whole(f) and f["response"]["count"] == seconds * 1000, "each request that was due is a sample", f)
        tags = {row["tag"]: row["count"] for row in json.loads(ct.candor("hist", "--json", log).out)["tags"]}
        ct.ok(tags["mock-rt"] == tags["mock-wt"] == seconds * 1000 and tags["mock-st"] == seconds * 250,
              "the log has them all", tags)
    _, f = load("--mock", "delay=4ms", "-c", "8", "-r", "1000", "-d", "6s", "--virtual-time")
    ct.ok(f["completed"] >= 5990 and f["response"]["max_ns"] < 4.1e6, "with connections enough nobody waits", f)
    _, f = load("--mock", "delay=4ms", "-c", "2", "-d", "6s", "--virtual-time")
    ct.ok(f["mode"] == "throughput" and f["completed"] == 3000 and "response" not in f and is_whole(f),
          "throughput knows service times only", f)


def hiccup_mock():
    """A model that stops at times: p99 as callers see it is many times the service time. In virtual time each run is the same."""
    ratios, means = [], []
    for seed in range(1, 16):
        _, f = load("--mock", "hiccup=50ms-150ms", "-c", "25", "-r", "10000", "-d", "60s", "--virtual-time", "--seed", str(seed))
        ratios.append(f["response"]["p99_ns"] / f["service"]["p99_ns"])
        means.append(f["response"]["mean_ns"] / f["service"]["mean_ns"])
    ct.ok(9 < sorted(ratios)[7] < 18, "response p99 / service p99, median of 15 runs", sorted(ratios))
    ct.ok(all(mean > 5 for mean in means), "and the mean many times", means)


def warm_up_and_ramp():
    _, f = load("--mock", "delay=4ms", "-c", "1", "-r", "1000", "-d", "2s", "--drain", "60s", "--virtual-time")
    ct.ok(f["completed"] == 2000 and f["outstanding"] == 0 and abs(f["response"]["max_ns"] / 6e9 - 1) < 0.01,
          "a drain continues with what was due", f)
    _, f = load("--mock", "delay=1ms", "-c", "10", "-r", "100", "-w", "2s", "-d", "3s", "--virtual-time")
    ct.ok(f["warm_up_requests"] == 200 and f["completed"] + f["outstanding"] == 300, "a warm-up is left out", f)
    _, f = load("--mock", "delay=1ms", "-c", "10", "-r", "0-100:10s,100", "-d", "20s", "--virtual-time")
    ct.ok(f["completed"] + f["outstanding"] == 1500, "a ramp sends its integral", f)
    _, f = load("--mock", "delay=1ms", "-c", "10", "-r", "1000", "-d", "20s", "--virtual-time", "--requests", "insert=1,read=9")
    shares = {one["name"]: one["response"]["count"] for one in f["requests"]}
    # binomial of 20,000: five standard errors are 212
    ct.ok(abs(shares["insert"] - 2000) < 212 and sum(shares.values()) == 20000, "types come by their weight", shares)


def arrivals():
    trace = ct.WORK / "trace"
    trace.write_text("# seconds\n100\n100.5\n100.5\n102.25\n")
    _, f = load("--mock", "delay=1ms", "-c", "1", "--virtual-time", "--arrivals", trace)
    ct.ok(f["completed"] == 4 and f["elapsed_ns"] == 3.25e9 and f["response"]["max_ns"] == 2000895, "a trace", f)
    trace.write_text("2\n1\n")
    result = ct.candor("load", "--mock", "delay=1ms", "--virtual-time", "--arrivals", trace)
    ct.ok(result.status == 1 and "line 2" in result.err and result.err.count("\n") == 1, "a time before the one above it", result)
    trace.write_text("0\n9999999999\n")
    result = ct.candor("load", "--mock", "delay=1ms", "--virtual-time", "--arrivals", trace)
    ct.ok(result.status == 1 and "line 2" in result.err and "11 days" in result.err, "a time that no run reaches", result)
    _, f = load("--mock", "delay=1ms", "-c", "2", "--virtual-time", "--think", "9ms", "-d", "1s")
    ct.ok(f["completed"] == 200 and f["mode"] == "throughput", "a closed system that thinks", f)
    _, even = load("--mock", "delay=900us", "-c", "1", "-r", "1000", "-d", "60s", "--virtual-time")
    _, random = load("--mock", "delay=900us", "-c", "1", "-r", "1000", "-d", "60s", "--virtual-time", "--arrivals", "poisson")
    # The mean wait in a queue M/D/1 with a load of 0.9 is 0.9 / (2 * 0.1) service times: 4.05 ms; in 60 s it varies by a third.
    ct.ok(even["wait"]["max_ns"] == 0 and 1.5e6 < random["wait"]["mean_ns"] < 12e6, "random arrivals queue, even ones do not",
          random["wait"])


def rates():
    """A mock with C connections that takes T for each request has its knee at C / T: above, requests queue without end."""
    errors = []
    for number in range(100):
        connections, delay, first = 1 + number % 7, 1000 + 37 * number, (50, 900, 20000)[number % 3]
        result, f = load("--mock", f"delay={delay}us", "-c", str(connections), "-r", str(first), "-d", "8s", "--virtual-time",
                         "--find-rate", "p99<20ms")
        errors.append(f["holds_per_second"] * delay / 1e6 / connections - 1 if result.status == 0 else 1)
    ct.ok(sum(abs(error) < 0.02 for error in errors) >= 95, "the highest rate at which a limit holds, within 2 %", sorted(errors))
    result, f = load("--mock", "delay=4ms", "-c", "4", "-d", "2s", "--virtual-time", "--find-rate", "p99<3ms")
    ct.ok(result.status == 1 and f["holds_per_second"] is None and "does not hold at any rate" in result.err, "no rate holds", result)
    for limit in ("p99", "p99<", "p101<1ms", "p99<0", "q<1ms"):
        result = ct.candor("load", "--mock", "delay=4ms", "--find-rate", limit)
        ct.ok(result.status == 2 and "is not a limit" in result.err and result.err.count("\n") == 1, f"'{limit}' is no limit", result)


def texts():
    """The formats of other tools have the figures of --json. In virtual time, each run is the same."""
    run = ("--mock", "hiccup", "-c", "25", "-r", "1000", "--requests", "insert=1,read=9", "-d", "5s", "--virtual-time")
    _, f = load(*run)
    read = next(one for one in f["requests"] if one["name"] == "read")
    ycsb = dict(line.rsplit(", ", 1) for line in ct.candor("load", "-q", "-f", "ycsb", *run).out.splitlines())
    ct.ok(ycsb["[READ], Operations"] == str(read["service"]["count"]) and ycsb["[OVERALL], RunTime(ms)"] == "5000"
          and ycsb["[Intended-READ], 99thPercentileLatency(us)"] == str(read["response"]["p99_ns"] // 1000), "as YCSB", ycsb)
    stress = dict(map(str.strip, line.split(":", 1)) for line in ct.candor("load", "-q", "-f", "cassandra-stress", *run).out.splitlines()
                  if ":" in line)
    ct.ok(stress["Latency 99th percentile"].startswith(f"{f['response']['p99_ns'] / 1e6:.1f} ms [insert: ")
          and stress["Total operation time"] == "00:00:05" and stress["Total errors"] == "0", "as cassandra-stress", stress)
    metrics = dict(line.rsplit(" ", 1) for line in ct.candor("load", "-q", "-f", "prometheus", *run).out.splitlines() if line[0] != "#")
    ct.ok(float(metrics['candor_load_response_seconds{request="read",quantile="0.99"}']) == read["response"]["p99_ns"] / 1e9
          and metrics['candor_load_requests_total{outcome="answered"}'] == str(f["outcomes"]["answered"]), "for Prometheus", metrics)


def page():
    """The page has the figures of --json, and says what omission hides; nothing in it can run."""
    run = ("--mock", "hiccup=50ms-150ms", "-c", "25", "-r", "10000", "-d", "10s", "--virtual-time")
    file = ct.WORK / "report.html"
    _, f = load(*run, "--report", file)
    text = file.read_text()
    shown = ct.candor("load", "-q", *run).out
    p99 = next(line for line in shown.splitlines() if line.startswith("  response")).split()
    ct.ok(f"ended within <b>{' '.join(p99[9:11])}</b>" in text and str(f["response"]["count"]) in text, "a page with both views", p99)
    ct.ok(text.count("<svg") == text.count("</svg>") == 3 and "<script" not in text and text.endswith("</html>\n"), "three pictures")
    load("--mock", "delay=1ms", "-c", "2", "-d", "2s", "--virtual-time", "--report", file)
    ct.ok("This load was <b>closed</b>" in file.read_text(), "a closed system is called closed")
    result = ct.candor("load", "-q", *run, "--report", "/no/such/folder/x.html")
    ct.ok(result.status == 1 and "/no/such/folder" in result.err and result.err.count("\n") == 1, "a file that cannot be written", result)


def answers(url):
    _, f = load("-r", "200", "-d", "1s", "--drain", "10s", f"{url}/ok")
    ct.ok(f["outcomes"]["answered"] == 200 == f["statuses"]["2xx"] and f["body_bytes"] == 1000 and is_whole(f),
          "answers of 5 bytes", f)
    ct.ok(f["connects"] <= 10, "connections are kept", f["connects"])
    _, f = load("-r", "100", "-d", "1s", "--drain", "10s", "--no-keep-alive", f"{url}/ok")
    ct.ok(f["outcomes"]["answered"] == 100 and f["connects"] >= 100, "or not", f["connects"])
    for path, kind, bytes_each in (("chunked", "answered", 11), ("close", "answered", 13), ("drop", "answered", 5),
                                   ("status/404", "refused", 2),
                                   ("status/500", "refused", 2), ("broken", "broken", 0), ("garbage", "broken", 0)):
        result, f = load("-r", "50", "-d", "1s", "--drain", "10s", "-c", "4", f"{url}/{path}")
        ct.ok(f["outcomes"][kind] == 50 and is_whole(f) and f["body_bytes"] == 50 * bytes_each, f"/{path}: 50 {kind}", f)
        ct.ok(result.status == (0 if kind == "answered" else 1), "status", result)
    none, all_50 = (ct.candor("load", "-q", "-r", "50", "-d", d, "--drain", "10s", f"{url}/status/404").err for d in ("200ms", "1s"))
    ct.ok("not one request succeeded" in none and "all 50 answers have a status of 400 to 499" in all_50,
          "where all answers are 404, that is reported")
    _, f = load("-r", "50", "-d", "1s", "--timeout", "200ms", "--drain", "1s", "-c", "20", f"{url}/silent")
    ct.ok(f["outcomes"]["timeouts"] >= 40 and is_whole(f) and f["service"]["max_ns"] >= 0.2e9,
          "timeouts are samples of their length", f)
    _, f = load("-r", "50", "-d", "1s", "-c", "5", f"{url}/silent")
    ct.ok(f["outcomes"]["in_flight"] == 5 and f["outcomes"]["unsent"] == 45 and is_whole(f) and f["response"]["max_ns"] >= 0.99e9,
          "what is out at the end is counted with its age", f)
    _, f = load("-d", "500ms", "-t", "2", "-c", "4", "--spin", f"{url}/ok")
    ct.ok(f["mode"] == "throughput" and f["completed"] > 10 and is_whole(f), "two threads as fast as answers come, spinning", f)


def several_types(url):
    requests = ct.WORK / "requests"
    (ct.WORK / "body").write_text("x" * 1000)
    requests.write_text(f"# two\ninsert 1 POST /ok @{ct.WORK / 'body'}\n  X-Test: yes\nread 3 GET /ok\n")
    _, f = load("-r", "200", "-d", "1s", "--drain", "10s", "--request-file", requests, url)
    counts = {one["name"]: one["service"]["count"] for one in f["requests"]}
    ct.ok(counts["insert"] + counts["read"] == 200 and f["body_bytes"] == counts["insert"] * 1000 + counts["read"] * 5,
          "a file of requests", f)
    requests.write_text("read 3 GET\n")
    result = ct.candor("load", "--request-file", requests, url)
    ct.ok(result.status == 1 and "line 1" in result.err and result.err.count("\n") == 1, "a wrong line is named", result)


def tls():
    key, certificate = ct.WORK / "key.pem", ct.WORK / "certificate.pem"
    ct.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "1",
           "-subj", "/CN=localhost",
           "-addext", "subjectAltName=IP:127.0.0.1")
    url = server(certificate, key)
    result = ct.candor("load", "-q", "-r", "20", "-d", "500ms", "--drain", "10s", f"{url}/ok")
    ct.ok(result.status == 1 and "certificate" in result.err, "a certificate nobody knows is refused", result)
    _, f = load("-r", "50", "-d", "1s", "--drain", "10s", "--insecure", f"{url}/chunked")
    ct.ok(f["outcomes"]["answered"] == 50 and f["body_bytes"] == 550 and is_whole(f), "https", f)
    good = ct.run(ct.PROGRAM, "load", "--json", "-q", "-r", "20", "-d", "500ms", "--drain", "10s", f"{url}/ok",
                  env={"SSL_CERT_FILE": str(certificate), "PATH": "/usr/bin:/bin"})
    ct.ok(good.status == 0 and json.loads(good.out)["outcomes"]["answered"] == 10, "a certificate that is trusted", good)
    for login, status in (("Basic eDp5", "2xx"), ("Basic eDpu", "4xx")):
        _, f = load("-r", "20", "-d", "500ms", "--drain", "10s", "--insecure", "-H", f"Authorization: {login}", f"{url}/login")
        ct.ok(f["statuses"][status] == 10, f"https, a login in a header: {status}", f)


def programs():
    _, f = load("--command", "-r", "20", "-d", "1s", "--drain", "30s", "-c", "4", "--", "true")
    ct.ok(f["outcomes"]["answered"] == 20 and is_whole(f), "a program as the operation", f)
    _, f = load("--command", "-r", "20", "-d", "1s", "--drain", "30s", "-c", "4", "--", "false")
    ct.ok(f["outcomes"]["refused"] == 20 == f["errors"], "one that fails", f)
    result, _ = load("--command", "-r", "20", "-d", "300ms", "--drain", "30s", "--", "/no/such/program")
    ct.ok(result.status == 1 and "cannot run the command" in result.err, "one that is not there", result)
    _, f = load("--command", "-r", "10", "-d", "1s", "-c", "2", "--timeout", "100ms", "--", "sleep", "60")
    ct.ok(f["outcomes"]["timeouts"] >= 2 and is_whole(f), "one that hangs is ended", f)


def an_interrupt(url):
    process = ct.spawn([ct.PROGRAM, "load", "--json", "-r", "100", "-d", "600s", f"{url}/ok"], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE,
                       text=True)
    line = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=ct.PATIENCE)
    f = json.loads(out)
    ct.ok("p99" in line and "/s" in line, "a line per second", line)
    ct.ok(process.returncode == 0 and f["interrupted"] and f["elapsed_ns"] < 500e9 and is_whole(f),
          "an interrupt ends it with what there is", f)


def wrong_usage():
    for arguments in ((), ("ftp://x",), ("--mode", "fixed", "http://h"), ("--mode", "throughput", "-r", "5", "http://h"),
                      ("-r", "0", "http://h"),
                      ("-c", "0", "http://h"), ("-d", "0", "http://h"), ("http://h", "x"), ("--virtual-time", "http://h"),
                      ("--mock", "x"),
                      ("--command",), ("-H", "no colon", "http://h"), ("--requests", "a", "http://h"),
                      ("--mock", "delay=1ms", "http://h")):
        result = ct.candor("load", *arguments)
        ct.ok(result.status == 2 and result.err.startswith("candor: "), f"load {' '.join(arguments)}", result)
    result = ct.candor("load", "-d", "1s", "http://127.0.0.1:1/")
    ct.ok(result.status == 1 and result.err.count("\n") == 1 and "cannot connect to 127.0.0.1:1" in result.err,
          "no server: one line", result)
    result = ct.candor("load", "--mock", "delay=1ms", "-r", "10", "-d", "1s", "--virtual-time", "-q", "-o", "/dev/full")
    ct.ok(result.status == 1 and "cannot write" in result.err, "a full disk", result)
    log = ct.WORK / "kept.hlog"
    log.write_text("of yesterday")
    ct.candor("load", "-d", "1s", "-o", log, "http://127.0.0.1:1/")
    ct.ok(log.read_text() == "of yesterday", "a run that cannot begin leaves an earlier log")
    ct.candor("load", "--mock", "delay=1ms", "-r", "10", "-d", "1s", "--virtual-time", "-q", "-o", log)
    ct.ok(ct.candor("hist", log).status == 0 and not list(ct.WORK.glob(".candor-*")), "another replaces it")


ct.need(ct.PROGRAM)
saturated_mock()
hiccup_mock()
warm_up_and_ramp()
arrivals()
rates()
texts()
page()
plain = server()
answers(plain)
several_types(plain)
tls()
programs()
an_interrupt(plain)
wrong_usage()
ct.done()
