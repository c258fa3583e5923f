#!/usr/bin/env python3
"""The readers of requests to candor server under libFuzzer, ASan and UBSan: 100,000 executions.

tier: default
timeout: 300
sanitize: no
"""
import fuzzing
from fuzzing import ct

HEAD = b"POST /v1/recordings?service=a&host=%41+b HTTP/1.1\r\nHost: localhost\r\n"
FORM = b'--b\r\nContent-Disposition: form-data; name="jfr"; filename="x"\r\n\r\nabc\r\n-\r\n--b\r\n\r\nx\r\n--b--\r\n'
REQUESTS = (
    b"GET http://localhost/healthz HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
    HEAD + b"Content-Length: 3\r\nExpect: 100-continue\r\n\r\nabc",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n00b\r\n\r\n\r\n\r\n\r\n\r\n\r\r\r\r\n0\r\nT: x\r\n\r\nGET",
    HEAD + b"Content-Type: multipart/form-data; boundary=b\r\n\r\n" + FORM,
    FORM,
    b"3\r\nabc\r\n0\r\n\r\n",
)

if fuzzing.available():
    target = fuzzing.build("fuzz_http_request", ("src/server/request/head.c", "src/server/request/chunks.c", "src/server/request/form.c"),
                           fuzzing.SANITIZE, "-fno-sanitize-recover=all")
    folder = ct.WORK / "requests"
    folder.mkdir()
    for i, request in enumerate(REQUESTS):
        (folder / str(i)).write_bytes(request)
    fuzzing.fuzz(target, folder, runs=100_000)
ct.done()
