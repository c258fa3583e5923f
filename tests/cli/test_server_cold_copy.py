#!/usr/bin/env python3
"""Recordings that are objects are copied to another place, and back to the disk (--copy-cold): each is there once, as it was sent, also if
the service fails in the middle, or an object is lost.

tier: default
timeout: 300
"""
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import candortest as ct
import s3
from servers import Server
from test_server_objects import NOW, WHEN, bodies, body, check_all, files, log_of, moved, options, send, total, weight

OTHER = f"s3://{s3.BUCKET}/other"
N = 12


def copy(name, service, to, **more):
    return ct.candor("server", "--data", ct.WORK / name, "--retain", "36500d", *options(service, **more), "--copy-cold", to)


def fill(name, service):
    server = Server(name, *options(service))
    ct.ok(send(server, range(N)) and moved(server, N), f"{name}: recordings are objects", log_of(server)[-1000:])
    server.end()


def clear_cache(name):
    for path in files(ct.WORK / name / "cold-cache"):
        path.unlink()


def check_places(service, name):
    """There and back again."""
    fill(name, service)
    done = copy(name, service, OTHER)
    ct.ok(done.status == 0 and f"{OTHER}: {N} recordings copied" in done.out, f"{name}: copied to another prefix", done)
    refused = ct.candor("server", "--data", ct.WORK / name, "--listen", "127.0.0.1:0", *options(service))
    ct.ok(refused.status == 1 and OTHER in refused.err, f"{name}: it does not start with the former one", refused)
    clear_cache(name)
    server = Server(name, *options(service, OTHER))
    check_all(server, range(N), f"{name}: in the other place")
    ct.ok(server.metrics()["candor_server_store_cold_recordings"] == N, f"{name}: they are still objects")
    ct.ok(send(server, range(N, N + 2)) and moved(server, N + 2), f"{name}: and others become objects there")
    busy = copy(name, service, "disk", place=OTHER)
    ct.ok(busy.status == 1 and "another candor server uses it" in busy.err, f"{name}: not while a server runs", busy)
    server.end()
    done = copy(name, service, "disk", place=OTHER)
    ct.ok(done.status == 0 and f"disk: {N + 2} recordings copied" in done.out, f"{name}: copied back to the disk", done)
    server = Server(name)
    check_all(server, range(N + 2), f"{name}: on the disk")
    m = server.metrics()
    ct.ok(not m.get("candor_server_store_cold_recordings"), f"{name}: none is an object")
    ct.ok(len(files(server.data / "recordings")) == N + 2 and m["candor_server_store_recording_bytes"] > 0, f"{name}: each is a file")
    server.end()


def check_failures(service):
    """The service fails in the middle, and an object is lost."""
    fill("half", service)
    seen = []

    def fault(method, name):
        if method == "PUT" and name.startswith("half-other/recordings/"):
            seen.append(name)
        return 403 if len(set(seen)) > N // 2 else None

    service.fault = fault
    place = f"s3://{s3.BUCKET}/half-other"
    clear_cache("half")
    done = copy("half", service, place)
    ct.ok(done.status == 1, "refused in the middle", done)
    service.fault = None
    server = Server("half", *options(service))
    check_all(server, range(N), "it has its former place then")
    server.end()
    lost = next(name for name in service.names() if name.startswith("fleet/recordings/")
                and name.replace("fleet", "half-other", 1) not in service.objects)
    service.objects.pop(lost)
    clear_cache("half")
    done = copy("half", service, place)
    ct.ok(done.status == 1 and "1 objects" in done.err and f"{N // 2} were there already" in done.out,
          "again: it goes on, and says what is lost", done)
    server = Server("half", *options(service, place))
    ct.ok(total(server) == weight(range(N)), "samples are all there", total(server))
    ct.ok(len(set(bodies(server)) & {body(n) for n in range(N)}) == N - 1, "and all recordings but one")
    server.end()
    taken = copy("half", service, OTHER, place=place)
    ct.ok(taken.status == 1 and "belongs to another server's folder" in taken.err, "a place of another folder is refused", taken)


def check_options(service):
    for words, said in ((["--copy-cold", "disk"], "--cold"), (["--cold", "s3://a/b", "--copy-cold", "/tmp"], "s3://")):
        ended = ct.candor("server", "--data", ct.WORK / "none", *words)
        ct.ok(ended.status == 2 and said in ended.err, f"refused: {' '.join(words)}", ended)
    same = copy("there", service, OTHER, place=OTHER)
    ct.ok(same.status == 1 and "already" in same.err, "the same place is refused", same)


def main():
    service = s3.Stub()
    check_places(service, "there")
    check_options(service)
    service.objects.clear()
    service.objects["other/owner"] = b"0" * 32
    check_failures(service)
    service.stop()
    for kind in s3.OTHERS:
        why = kind.missing()
        if why:
            ct.skip(f"{kind.__name__}, a service of others", why)
            continue
        other = kind()
        check_places(other, kind.__name__.lower())
        other.stop()
    ct.done()


if __name__ == "__main__":
    main()
