#!/usr/bin/env python3
"""The readers of requests to candor server, and of calls, under libFuzzer, ASan and UBSan: 100,000 executions of each.

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

CALLS = (
    b'{"profile_typeID": "a:b:c:d:e", "labelSelector": "{}", "start": "1", "end": 1.7e12, "maxNodes": 5, "format": "PROFILE_FORMAT_DOT",'
    b' "stackTraceSelector": {"call_site": [{"name": "m"}]}, "spanSelector": ["x"]}',
    b'{"left": {"start": 1}, "right": null}',
    b"\x0a\x01a\x12\x02{}\x18\x01\x20\x02\x28\x05\x30\x01\x3a\x05\x0a\x03\x0a\x01m\x5a\x01x",
    b"\x0a\x02\x18\x01\x12\x00",
)


def fuzz(target, name, inputs):
    folder = ct.WORK / name
    folder.mkdir()
    for i, one in enumerate(inputs):
        (folder / str(i)).write_bytes(one)
    fuzzing.fuzz(target, folder, runs=100_000)


if fuzzing.available():
    target = fuzzing.build("fuzz_http_request", ("src/server/request/head.c", "src/server/request/chunks.c", "src/server/request/form.c",
                            "src/base/text/number.c"),
                           fuzzing.SANITIZE, "-fno-sanitize-recover=all")
    fuzz(target, "requests", REQUESTS)
    sources = ("src/server/connect/asked.c", "src/format/pb.c", "src/base/error.c", "src/base/buffer.c", "src/base/text/number.c")
    target = fuzzing.build("fuzz_call", sources, fuzzing.SANITIZE, "-fno-sanitize-recover=all", "-ljansson", "-lm")
    fuzz(target, "calls", CALLS)
ct.done()
