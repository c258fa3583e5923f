#!/usr/bin/env python3
"""OTLP's profiles over gRPC, sent by Go's gRPC and the OpenTelemetry Collector's own client: each sum on the server is that of the same
message over HTTP, by type and label; tokens, errors and their codes, what may be tried again; and calls that break gRPC's framing.

tier: default
timeout: 300
"""
import pathlib
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct
import goclients
import http2 as h2
import otlps
import pb
from servers import Server, certificate

NOW = int(time.time())
TIME = {"from": NOW - 3600, "to": NOW + 3600}
START = (NOW - 100) * 10**9
FUTURE = (NOW + 10 * 86400) * 10**9
EXPORT = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
CPU = ("cpu", "nanoseconds", 50_000_000)


class Client:
    def __init__(self, program, server):
        self.program, self.server = program, server

    def __call__(self, *arguments, options=(), message=b""):
        tls = ("-cert", self.server.tls[0]) if self.server.tls else ()
        done = subprocess.run([self.program, *map(str, (*tls, *options)), f"127.0.0.1:{self.server.port}", *map(str, arguments)],
                              input=message, capture_output=True, timeout=ct.PATIENCE, check=False)
        return done.stdout.decode().splitlines() if not done.returncode else [done.stderr.decode()]

    def export(self, message, *options):
        return self("export", options=options, message=message)


def types_of(server, service):
    found = {one["name"]: one["types"] for one in server.get("/v1/services", **TIME)["services"]}
    return found.get(service, {})


def example(service):
    """Two hosts of a service, with two types of values."""
    maker = otlps.Maker()
    times = [START + i * 10**9 for i in range(7)]
    maker.resource({"service.name": service, "host.name": "h1", "service.version": "1.2"},
                   maker.profile("samples", "count", [("a", [], times[:5], {"thread.name": "t"}), ("b", [], times[5:])], START, CPU),
                   maker.profile("off_cpu", "nanoseconds", [("c", [700, 11], times[:2])], START))
    maker.resource({"service.name": service, "host.name": "h2", "k8s.pod.name": "p/1"},
                   maker.profile("samples", "count", [("only.here", [3], [])], START, CPU))
    return maker.message()


def one(service, time_ns=START, name="a", value=5):
    maker = otlps.Maker()
    maker.resource({"service.name": service}, maker.profile("samples", "count", [(name, [value], [])], time_ns, CPU))
    return maker.message()


def seen(server, service):
    """All that the server says of a service: sums by type and label, and the methods."""
    of = f'service="{service}"'
    by_label = [server.total(f"{of},{more}", type=kind, **TIME) for kind in ("cpu:ns", "off_cpu:ns")
                for more in ('host="h1",version="1.2"', 'host="h2",k8s.pod.name="p/1"')]
    methods = [(row["name"], row["total"]) for row in server.get("/v1/methods", select=of, type="cpu:ns", **TIME)["report"]["methods"]]
    series = server.get("/v1/series", select=of, type="cpu:ns", step=1, **{"from": NOW - 101, "to": NOW})["series"]
    return types_of(server, service), by_label, sorted(methods), [one["points"] for one in series]


def check_totals(client, server, what):
    status = server.request("POST", "/v1development/profiles", example(f"http-{what}"), {"Content-Type": "application/x-protobuf"})[0]
    ct.ok(status == 200, f"{what}: over HTTP")
    wanted = seen(server, f"http-{what}")
    for options in ((), ("-gzip",)):
        service = f"grpc-{what}{''.join(options)}"
        said = client.export(example(service), *options)
        ct.ok(said == ["rejected 0 "], f"{what} {options}: it is taken whole", said)
        found = seen(server, service)
        ct.ok(found == wanted and found[0] == {"cpu:ns": 500_000_000, "off_cpu:ns": 711} and found[1][:2] == [350_000_000, 150_000_000],
              f"{what} {options}: sums by type, label, method and second are those over HTTP", (found, wanted))
    before = server.metrics()["candor_server_recordings_stored_total"]
    said = client.export(example(f"grpc-{what}"), "-times", "200")
    ct.ok(said == ["rejected 0 "] * 200 and server.metrics()["candor_server_recordings_stored_total"] == before,
          f"{what}: 200 times at once on one connection it counts once", (len(said), set(said)))


def large(service):
    maker = otlps.Maker()
    maker.resource({"service.name": service},
                   maker.profile("samples", "count", [(f"f{i:06}" * 30, [1], []) for i in range(5000)], START, CPU))
    return maker.message()


def check_large(client, server):
    said = client.export(large("large"))
    ct.ok(said == ["rejected 0 "] and types_of(server, "large") == {"cpu:ns": 250_000_000_000}, "a message of many windows", said)
    said = client.export(large("large-packed"), "-gzip")
    ct.ok(said == ["rejected 0 "] and types_of(server, "large-packed") == {"cpu:ns": 250_000_000_000}, "the same, packed", said)


def check_errors(client, server):
    maker = otlps.Maker()
    maker.resource({"service.name": "half"}, maker.profile("samples", "count", [("a", [5], [])], START))
    maker.resource({"service.name": "half"}, maker.profile("samples", "count", [("a", [5], [])], FUTURE),
                   maker.profile("off_cpu", "nanoseconds", [("a", [5], [])], FUTURE))
    said = client.export(maker.message())
    ct.ok(len(said) == 1 and said[0].startswith("rejected 2 ") and "from the future" in said[0] and
          types_of(server, "half") == {"samples:samples": 5}, "of three profiles two are refused: their number, and why", said)
    said = client.export(one("none", FUTURE))
    ct.ok(said and said[0].startswith("error InvalidArgument 1 of 1 profiles refused") and said[0].endswith("retry=no"),
          "if it is all, it is an error", said)
    for method in ("/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", EXPORT + "All", "/v1/recordings", "/",
                   "/querier.v1.QuerierService/Nothing", "/grpc.health.v1.Health/Watch"):
        said = client("call", method)
        ct.ok(said and said[0].startswith("error Unimplemented ") and said[0].endswith("retry=no"), f"{method}: unimplemented", said)
    said = client("types", 0, 5)
    ct.ok(said and said[0].startswith("error InvalidArgument start and end"), "an error of Pyroscope's API has its code", said)
    said = client("types", (NOW - 3600) * 1000, (NOW + 3600) * 1000)
    ct.ok("process_cpu:cpu:nanoseconds:cpu:nanoseconds" in said, "Pyroscope's API over gRPC", said)
    packed = client("types", (NOW - 3600) * 1000, (NOW + 3600) * 1000, options=("-gzip",))
    ct.ok(packed == said, "the same, with packed messages", packed)
    for service, wanted in (("", "SERVING"), ("querier.v1.QuerierService", "SERVING"), (EXPORT[1:].partition("/")[0], "SERVING"),
                            ("nobody", "error NotFound there is no service 'nobody' here retry=no")):
        said = client("health", service)
        ct.ok(said == [wanted], f"health of '{service}': {wanted}", said)


def check_tokens(program):
    tokens, made = ct.WORK / "tokens", {}
    for wanted in ("all:read,write", "shop:write:service=shop", "reader:read"):
        made[wanted.partition(":")[0]] = ct.candor("server", "--token-file", tokens, "--new-token", wanted).out.strip()
    server = Server("grpc-tokens", "--token-file", tokens, tls=certificate("grpc"), token=made["all"])
    client = Client(program, server)
    check_totals(with_options(client, "-token", made["all"]), server, "tls")
    for token, service, wanted in (("", "shop", "error Unauthenticated "), ("wrong", "shop", "error Unauthenticated "),
                                   (made["reader"], "shop", "error PermissionDenied "), (made["shop"], "cart", "error PermissionDenied "),
                                   (made["shop"], "shop", "rejected 0 ")):
        said = client.export(one(service), *(("-token", token) if token else ()))
        ct.ok(len(said) == 1 and said[0].startswith(wanted), f"{service} with the token '{token[:5]}': {wanted}", said)
    ct.ok(types_of(server, "shop") and not types_of(server, "cart"), "only what is allowed is stored")
    ct.ok(client("health", "") == ["SERVING"], "health needs no token")
    ct.ok(server.balances() and server.end() == 0, "its books balance")


def with_options(client, *more):
    """The client with options that every call has."""
    bound = Client(client.program, client.server)
    bound.export = lambda message, *options: client.export(message, *more, *options)
    return bound


def check_limits(program):
    server = Server("limits", "--max-body", "1000")
    said = Client(program, server).export(one("long", name="x" * 2000))
    ct.ok(said and said[0].startswith("error ResourceExhausted ") and "--max-body" in said[0] and said[0].endswith("retry=no"),
          "beyond --max-body: not to be tried again", said)
    ct.ok(server.metrics()['candor_server_recordings_refused_total{reason="too_large"}'] == 1 and server.balances(), "it is counted")
    server.end()
    tokens = ct.WORK / "limited-tokens"
    token = ct.candor("server", "--token-file", tokens, "--new-token", "t:write:max-series-per-day=1").out.strip()
    server = Server("limited", "--token-file", tokens)
    said = [Client(program, server).export(one(f"s{n}"), "-token", token) for n in range(3)]
    last = said[-1][0]
    ct.ok(last.startswith("error ResourceExhausted ") and "max-series-per-day" in last and 1 <= int(last.rpartition("retry=")[2]) <= 3600,
          "beyond a limit of the token: to be tried again, later", said)
    server.end()
    full = Server("full", file_limit=1 << 20)
    said = Client(program, full).export(one("full", name="x" * 2_000_000))
    ct.ok(said and said[0].startswith("error Unavailable ") and said[0].endswith("retry=10"), "a full disk: to be tried again", said)
    ct.ok(full.balances(), "it is counted", full.metrics())
    full.end()


def message_of(body, flag=0, length=None):
    return struct.pack(">BI", flag, len(body) if length is None else length) + body


def call(server, content, *more, path=EXPORT, media="application/grpc", end=h2.END_STREAM):
    """(HTTP's status, block of headers, content) of a call by hand."""
    with h2.Connection(server.port) as c:
        c.send(h2.request(1, path, "POST", ("content-type", media), ("te", "trailers"), *more, end=False),
               *(h2.frame(h2.DATA, 0, 1, content[i:i + 1000]) for i in range(0, len(content), 1000)), h2.frame(h2.DATA, end, 1))
        frames = []
        while frame := c.next():
            if frame[2] == 1:
                frames.append(frame)
                if frame[1] & h2.END_STREAM and frame[0] in (h2.HEADERS, h2.DATA):
                    break
        return frames


def check_framing(server):
    """An error is one frame of headers, and the call's recording is in the books."""
    good = message_of(one("framed"))
    frames = call(server, good)
    kinds = [frame[0] for frame in frames]
    ct.ok(kinds == [h2.HEADERS, h2.DATA, h2.HEADERS] and h2.status_of(frames[0][3]) == 200 and frames[1][3] == bytes(5),
          "an answer: headers, an empty message with its length, trailers", frames)
    before = server.metrics()["candor_server_recordings_stored_total"]
    for what, content, more in (("no message", b"", ()), ("a length cut off", good[:3], ()), ("a message cut off", good[:-4], ()),
                                ("two messages", good + good, ()), ("bytes behind the message", good + b"x", ()),
                                ("a flag that is none", message_of(good[5:], 2), ()),
                                ("packed without an encoding", message_of(good[5:], 1), ()),
                                ("packed, and it is not", message_of(good[5:], 1), (("grpc-encoding", "gzip"),)),
                                ("an unknown encoding", message_of(good[5:], 1), (("grpc-encoding", "br"),)),
                                ("a length of 4 GiB", message_of(good[5:], 0, 0xffffffff), ()),
                                ("a timeout that is none", good, (("grpc-timeout", "1x"),)),
                                ("a timeout of 9 digits", good, (("grpc-timeout", "123456789S"),)),
                                ("no protocol buffers", message_of(b"\xff\xff\xff"), ())):
        frames = call(server, content, *more)
        ct.ok(len(frames) == 1 and frames[0][0] == h2.HEADERS and frames[0][1] & h2.END_STREAM and h2.status_of(frames[0][3]) == 200,
              f"{what}: an error in the headers", frames)
    frames = call(server, b"", ("grpc-timeout", "99999999H"))
    ct.ok(b"\x013" in frames[0][3], "a timeout of 11,000 years is not over: the code is 3, INVALID_ARGUMENT", frames)
    m = server.metrics()
    ct.ok(m["candor_server_recordings_stored_total"] == before, "none of it is stored")
    ct.ok(call(server, message_of(one("other")), media="application/grpc+proto")[0][1] & h2.END_STREAM == 0, "application/grpc+proto")
    ct.ok(types_of(server, "other") == {"cpu:ns": 250_000_000}, "is the same", types_of(server, "other"))
    frames = call(server, message_of(b"{}"), media="application/grpc+json")
    ct.ok(len(frames) == 1, "application/grpc+json is not known", frames)
    ct.ok(ct.wait_until(server.balances), "all of it is in the books", server.metrics())


def main():
    program = goclients.build("grpc")
    server = Server("grpc")
    if program:
        client = Client(program, server)
        check_totals(client, server, "plain")
        check_large(client, server)
        check_errors(client, server)
        check_tokens(program)
        check_limits(program)
    check_framing(server)
    m = server.metrics()
    received = m["candor_server_recordings_received_total"]
    ct.ok(server.balances() and m['candor_server_recordings_received_by_total{protocol="otlp"}'] == received,
          "received = stored + duplicates + refused", m)
    ct.ok(server.end() == 0, "the server ends normally")
    ct.done()


main()
