#!/usr/bin/env python3
"""The readers of requests to candor server, of calls, of selectors, of gRPC's framing, and of what agents push, under libFuzzer, ASan and
UBSan: 100,000 executions of each, 30,000 of the last.

tier: default
timeout: 300
sanitize: no
"""
import json
import struct

import fuzzing
import jfr_reader
from fuzzing import ct
import otlps
from pb import message

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


SELECTORS = (
    b'{service="shop",host=~"web-[0-9]+|a{2,5}", endpoint!="", sample.tenant!~"(?i:x)*\\\\d"}\0web-7',
    b'service=~"(((a*)*)*)*$",host!="\\"\\n\\t\\\\"\0aaaaaaaaaaaaaaaaaaaaaaaab',
    b'{on_demand=~"[^[:alpha:]\\\\x{263a}]{1,1000}",}\0\xe2\x98\xba',
    b"{}",
)


FRAMED = tuple(bytes([choice]) + framed for choice in (0, 6, 16, 42, 70)
               for framed in (b"\0\0\0\0\3abc", b"\1\0\0\0\0", b"\0\0\0", b"\0\0\0\0\1ab", b"\2\0\0\0\1a", b"\0\xff\xff\xff\xffa"))


PUSHED = ({"series": [{"labels": [{"name": "__name__", "value": "mutex"}, {"name": "a", "value": "b"}],
                       "samples": [{"rawProfile": "AAECAw=="}]}]},
          {"resourceProfiles": [{"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "x"}},
                                                             {"keyStrindex": 1, "value": {"intValue": "7"}}]},
                                 "scopeProfiles": [{"profiles": [{"sampleType": {"typeStrindex": 1}, "profileId": "00ff", "samples": [
                                     {"stackIndex": 1, "values": ["3", 4], "timestampsUnixNano": ["5"], "attributeIndices": [1]}]}]}]}],
           "dictionary": {"stringTable": ["", "k"], "stackTable": [{}, {"locationIndices": [1]}],
                          "functionTable": [{}, {"nameStrindex": 1}],
                          "locationTable": [{}, {"lines": [{"functionIndex": 1}]}], "attributeTable": [{}, {"keyStrindex": 1}]}})
CONFIG = {"contentions": {"display-name": "mutex_count", "cumulative": False}, "delay": {"cumulative": True}}


def pushed():
    """Inputs of fuzz_push: the reader, then what it reads."""
    yield from (struct.pack("B", i) + json.dumps(one).encode() for i, one in enumerate(PUSHED))
    yield b"\2" + message((1, message((1, message((1, b"__name__"), (2, b"block"))), (2, message((1, b"abc"))))))
    for maker in (otlps.Maker(), otlps.Maker(single=True, indexed=True, dictionary_first=True)):
        for host in ("a", "b"):
            maker.resource({"service.name": "s", "host.name": host, "n": 5},
                           maker.profile("samples", "count", [("f", [1, 2], [3, 4], {"k": "v"})], 5, ("cpu", "nanoseconds", 7)),
                           maker.profile("samples", "bytes", [("g", [9], [])], 5))
        yield b"\3" + maker.message()
    yield b"\4" + json.dumps(CONFIG).encode()
    yield b"\5" + message((1, message((1, 5), (2, message((1, message((1, 1), (2, 2))))))), (2, message((1, 1), (2, b"k"))))


def fuzz(target, name, inputs, runs=100_000):
    folder = ct.WORK / name
    folder.mkdir()
    for i, one in enumerate(inputs):
        (folder / str(i)).write_bytes(one)
    fuzzing.fuzz(target, folder, runs=runs)


if fuzzing.available():
    target = fuzzing.build("fuzz_http_request", ("src/server/request/head.c", "src/server/request/chunks.c", "src/server/request/form.c",
                            "src/base/text/number.c"),
                           fuzzing.SANITIZE, "-fno-sanitize-recover=all")
    fuzz(target, "requests", REQUESTS)
    sources = ("src/server/connect/asked.c", "src/base/pb.c", "src/base/error.c", "src/base/buffer.c", "src/base/text/number.c")
    target = fuzzing.build("fuzz_call", sources, fuzzing.SANITIZE, "-fno-sanitize-recover=all", "-ljansson", "-lm")
    fuzz(target, "calls", CALLS)
    sources = ("src/store/selector.c", "src/store/files/labels.c", "src/regex/*.c", "src/base/*.c", "src/base/*/*.c")
    target = fuzzing.build("fuzz_selector", sources, fuzzing.SANITIZE, "-fno-sanitize-recover=all", "-lm")
    fuzz(target, "selectors", SELECTORS)
    sources = ("src/server/front/grpc.c", "src/server/connect/wire.c", "src/base/pb.c", "src/base/error.c", "src/base/buffer.c",
               "src/base/text/*.c")
    target = fuzzing.build("fuzz_grpc", sources, fuzzing.SANITIZE, "-fno-sanitize-recover=all", "-lgnutls", "-lm")
    fuzz(target, "framed", FRAMED)
    sources = ("src/server/push/fields.c", "src/server/push/json_pb.c", "src/server/push/otlp*.c", "src/server/push/series.c",
               "src/server/answers/ingest_parts.c", "src/store/files/labels.c", "src/format/read/otlp_tables.c", "src/format/import.c",
               "src/format/system_name.c", "src/profile/profile.c", "src/profile/kinds.c", "src/profile/names.c",
               "src/jfr/schema.c", "src/compress/*.c", "src/base/*.c", "src/base/*/*.c")
    target = fuzzing.build("fuzz_push", sources, fuzzing.SANITIZE, "-fno-sanitize-recover=all", "-ljansson", "-lm", *jfr_reader.FLAGS)
    fuzz(target, "pushed", pushed(), runs=30_000)
ct.done()
