#!/usr/bin/env python3
"""The readers of histogram logs and of HTTP answers under libFuzzer, ASan and UBSan: 50,000 executions each.

tier: default
timeout: 300
sanitize: no
"""
import fuzzing
from fuzzing import ct

ANSWERS = (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
           b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\nT: x\r\n\r\n",
           b"HTTP/1.0 404 No\r\nConnection: keep-alive\r\n\r\nuntil the end",
           b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n")

OLD_HISTOGRAMS = (("v0", "HISTSQAAAC54nJNpmezBwMDAxAABjBCybQGUa8SAClgZRsEoGAVIgFFnoF0wCuCAEQDvPwMM"),
                  ("v1", "HISTIgAAACx4nJNpmazIwMAUwQABTFCaEUK2LbD/wIAMWBlGwaAAjDoD7QKqAEYA9GIEOw=="))


def seeds(name):
    folder = ct.WORK / name
    folder.mkdir()
    return folder


def fuzz(name, sources, folder, *libraries):
    target = fuzzing.build(name, sources, fuzzing.SANITIZE, "-fno-sanitize-recover=all", *libraries)
    fuzzing.fuzz(target, folder, runs=50_000)


if fuzzing.available():
    ct.need(ct.PROGRAM)
    logs = seeds("logs")
    for dialect in ("java", "c"):
        run = ct.WORK / "run.hlog"
        ct.candor("load", "--mock", "delay=4ms", "-r", "100", "-d", "2s", "--virtual-time", "-q", "-o", run)
        ct.candor("hist", "union", "--dialect", dialect, "-o", logs / dialect, run)
        table = {"java": "hgrm", "c": "hgrm-c"}[dialect]
        ct.candor("hist", "-f", table, "--tags", "mock-rt", "-o", logs / table, run)
    for version, payload in OLD_HISTOGRAMS:
        (logs / version).write_text(f"0.1,1.0,3.0,{payload}\n")
    fuzz("fuzz_histogram_log", ("src/histogram/*.c", "src/base/buffer.c", "src/base/text/number.c"), logs, "-lz", "-lm")
    answers = seeds("answers")
    for i, answer in enumerate(ANSWERS):
        (answers / str(i)).write_bytes(answer)
    fuzz("fuzz_http_response", ("src/load/response.c", "src/base/text/number.c"), answers)
ct.done()
