#!/usr/bin/env python3
"""Recordings that become objects: each is there once, whatever fails meanwhile, and no file goes before its object was read back.

tier: default
timeout: 300
"""
import pathlib
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import s3
from servers import Server

NOW = int(time.time())
WHEN = {"from": NOW - 7200, "to": NOW + 60}
PLACE = f"s3://{s3.BUCKET}/fleet"


def body(number):
    return "".join(f"a.B.main;a.B.deep{i % 7};a.B{number % 5}.m{i} {i + number + 1}\n" for i in range(40)).encode()


def weight(numbers):
    return sum(i + number + 1 for number in numbers for i in range(40))


def send(server, numbers):
    return all(server.send(body(number), service=f"shop-{number % 3}", host=f"h{number}", **{"from": NOW - 3600 + number * 20})[0] == 200
               for number in numbers)


def options(service, place=PLACE, after="1ms", **more):
    given = {"cold": place, "cold-after": after, "s3-endpoint": service.url, "s3-region": s3.REGION, "s3-credentials": s3.credentials(),
             **{name.replace("_", "-"): value for name, value in more.items()}}
    return [word for name, value in given.items() for word in (f"--{name}", *([] if value is True else [value]))]


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def moved(server, n):
    """Whether n recordings are objects, and none is a file."""
    return ct.wait_until(lambda: server.metrics()["candor_server_store_cold_recordings"] == n
                         and not files(server.data / "recordings"), 60)


def bodies(server):
    """Every recording as it was sent, fetched; an error in the place of one that is not."""
    return sorted(one.body for one in server.recordings(**WHEN))


def total(server):
    return server.total(**WHEN)


def log_of(server):
    return pathlib.Path(server.log.name).read_text()


def check_all(server, numbers, what):
    ct.ok(total(server) == weight(numbers), f"{what}: each sample once", (total(server), weight(numbers)))
    want = sorted(body(number) for number in numbers)  # after a failure, no object is asked for during some seconds
    ct.ok(ct.wait_until(lambda: bodies(server) == want, 60), f"{what}: each recording once, as it was sent", log_of(server)[-1000:])


def check_service(service, name):
    """What every service does: recordings go there, come back, and go for good when they are too old."""
    server = Server(f"{name}-1", *options(service, cold_cache="4k"))
    ct.ok(send(server, range(10)) and moved(server, 10), f"{name}: recordings become objects", log_of(server)[-1000:])
    check_all(server, range(10), name)
    metrics = server.metrics()
    ct.ok(metrics["candor_server_store_recording_bytes"] == 0 and metrics["candor_server_store_cold_bytes"] > 10 * 1000
          and metrics["candor_server_store_cold_moved_total"] == 10 <= metrics["candor_server_store_cold_fetched_total"],
          f"{name}: counted", {key: value for key, value in metrics.items() if "cold" in key})
    listed = server.get("/v1/storage")["services"]
    ct.ok(sum(one["cold_bytes"] for one in listed) == metrics["candor_server_store_cold_bytes"], f"{name}: by service", listed)
    cached = sum(path.stat().st_size for path in files(server.data / "cold-cache"))
    ct.ok(cached <= 4096, f"{name}: the cache keeps its limit", cached)
    ct.ok(server.end() == 0, f"{name}: ends")
    server = Server(f"{name}-1", *options(service, retain_recordings="1m"))
    ct.ok(ct.wait_until(lambda: server.metrics()["candor_server_store_cold_removed_total"] == 10, 60), f"{name}: old objects are removed",
          server.metrics()["candor_server_store_cold_going"])
    ct.ok(total(server) == weight(range(10)) and not bodies_left(server), f"{name}: their samples stay")
    ct.ok(not files(server.data / "cold-cache"), f"{name}: nor are they in the cache", files(server.data / "cold-cache"))
    server.end()


def bodies_left(server):
    return [one for one in server.get("/v1/recordings", **WHEN)["recordings"] if one["raw"]]


def check_faults(service):
    """The service refuses, lies, and is away."""
    turns = iter(range(10 ** 6))
    service.fault = lambda method, name: 503 if "recordings/" in name and next(turns) % 3 else None
    server = Server("faults", *options(service, f"{PLACE}/faults"))
    ct.ok(send(server, range(8)) and moved(server, 8), "two of three requests are refused: all are sent again", log_of(server)[-1000:])
    service.fault = None
    check_all(server, range(8), "then")
    service.fault = lambda method, name: (lambda found: found[:-1] + b"?") if "recordings/" in name and method == "GET" else None
    ct.ok(send(server, range(8, 12)), "the service changes what it keeps")
    ct.ok(ct.wait_until(lambda: "is not what was sent; the recording stays on the disk" in log_of(server), 60), "that is noticed")
    ct.ok(len(files(server.data / "recordings")) == 4, "and no file goes", files(server.data / "recordings"))
    service.fault = None
    check_all(server, range(12), "whatever it does")
    ct.ok(moved(server, 12), "and in the end all are objects", log_of(server)[-1000:])
    service.stop()
    ct.ok(send(server, range(12, 15)), "while it is away, recordings are taken")
    for path in files(server.data / "cold-cache"):
        path.unlink()
    identities = [one["id"] for one in server.get("/v1/recordings", **WHEN)["recordings"]]
    answers = [server.request("GET", f"/v1/recordings/{one}") for one in identities]
    away = [one for one in answers if one[0] == 503]
    ct.ok(len(away) >= 8 and all(headers["Retry-After"] and b"s3://" in content for _, headers, content in away),
          "those that are objects answer 503, and when to ask again", [one[0] for one in answers])
    spans = server.get("/v1/spans", **WHEN)
    ct.ok(spans.get("complete") is False and spans["recordings"]["unreachable"] == len(away), "answers count what cannot be fetched",
          str(spans)[:1000])
    ct.ok(total(server) == weight(range(15)), "samples need no object", total(server))
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    server = Server("faults", *options(service, f"{PLACE}/faults"))
    ct.ok(total(server) == weight(range(15)), "it starts without the service", log_of(server)[-500:])
    service.start()
    ct.ok(moved(server, 15), "and goes on when the service is back", log_of(server)[-1000:])
    check_all(server, range(15), "at last")
    server.end()


def check_kills(service):
    """Killed while it moves, again and again."""
    for turn in range(6):
        server = Server("kills", *options(service, f"{PLACE}/kills"))
        send(server, range(turn * 4, turn * 4 + 4))
        ct.wait_until(lambda: server.metrics()["candor_server_store_cold_recordings"] > turn * 3, 20)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
    server = Server("kills", *options(service, f"{PLACE}/kills"))
    ct.ok(moved(server, 24), "after kills", server.metrics())
    check_all(server, range(24), "after kills")
    ct.ok(server.metrics()["candor_server_store_cold_going"] == 0
          and len([name for name in service.names() if name.startswith("fleet/kills/recordings/")]) == 24,
          "and there is no other object", service.names())
    server.end()


def same_page(page):
    """The page of a list, with a next one that is always the same."""
    return re.sub(rb"<NextContinuationToken>.*</NextContinuationToken>", b"", page).replace(
        b"</ListBucketResult>", b"<NextContinuationToken>+fleet/kills/recordings/</NextContinuationToken></ListBucketResult>")


def foreign_page(page):
    """The page of a list, with names that are not of recordings."""
    names = ("x", "recordings", "recordings/", "recordings/ab/abc", f"recordings/zz/{'z' * 64}")
    return page.replace(b"<Contents>", "".join(f"<Contents><Key>fleet/kills/{name}</Key></Contents>" for name in names).encode()
                        + b"<Contents>", 1)


ASKED = ("services", "recordings", "metrics", "search", "findings", "series", "endpoints", "spans")


def check_rereading(server, n):
    """Every answer says how many recordings are still to be read again."""
    answers = {what: server.get(f"/v1/{what}", **WHEN) for what in ASKED}
    silent = {what: str(one)[-200:] for what, one in answers.items()
              if one.get("complete", True) or one["missing"].get("rereading", {}).get("parts") != n}
    ct.ok(not silent, f"every answer lacks {n} recordings, and says so", silent)


def check_late_owner(service):
    """Another server takes the objects over while this one is not running, and the service is away when it starts again."""
    given = options(service, f"{PLACE}/late")
    server = Server("late", *given)
    ct.ok(send(server, range(2)) and moved(server, 2), "late: recordings become objects", log_of(server)[-1000:])
    server.end()
    service.stop()
    server = Server("late", *given)
    service.objects["fleet/late/owner"] = b"another\n"
    service.start()
    ct.ok(ct.wait_until(lambda: "another server has taken it over" in log_of(server), 90), "late: it asks again whose they are",
          log_of(server)[-1000:])
    ct.ok(send(server, range(2, 4)) and len(files(server.data / "recordings")) == 2, "late: and keeps what comes")
    server.end()


def check_places(service):
    """A folder and a place belong together."""
    folder = ct.WORK / "kills"
    for more, text in (((), "24 of its recordings are objects in s3://bucket/fleet/kills: give --cold"),
                       (options(service, f"{PLACE}/other"), "give --cold s3://bucket/fleet/kills"),
                       (("--cold", "ftp://x"), "--cold must be like s3://BUCKET/PREFIX"), (("--cold-after", "1h"), "need --cold")):
        said = ct.candor("server", "--data", folder, "--listen", "127.0.0.1:0", *more)
        ct.ok(said.status and text in said.err, f"{more}: {text}", said)
    said = ct.candor("server", "--data", ct.WORK / "taken", *options(service, f"{PLACE}/kills"))
    ct.ok(said.status == 1 and "--cold-take-over" in said.err, "another folder cannot have its objects", said)
    said = ct.candor("server", "--data", ct.WORK / "wrong", *options(service, s3_credentials=s3.credentials("wrong-key", "x")))
    ct.ok(said.status == 1 and "SignatureDoesNotMatch" in said.err, "a wrong key is reported", said)
    server = Server("taken", *options(service, f"{PLACE}/kills", cold_take_over=True))
    check_all(server, range(24), "a new folder that takes them over")
    ct.ok(server.end() == 0, "it ends")
    said = ct.candor("server", "--data", folder, *options(service, f"{PLACE}/kills"))
    ct.ok(said.status == 1 and "another server has taken it over" in said.err, "the folder of before cannot have them any more", said)
    for path in [*(ct.WORK / "taken").glob("catalogue.db*"), *files(ct.WORK / "taken" / "cold-cache")]:
        path.unlink()
    service.fault = lambda method, name: None if name else same_page
    said = ct.candor("server", "--data", ct.WORK / "taken", *options(service, f"{PLACE}/kills"))
    ct.ok(said.status == 1 and "the same page again" in said.err, "a list without an end is noticed", said)
    service.fault = lambda method, name: 503 if "recordings/" in name else None if name else foreign_page
    server = Server("taken", *options(service, f"{PLACE}/kills"))
    check_rereading(server, 24)
    ct.ok(server.end() == 0, "it ends while they are to be read")
    said = ct.candor("server", "--check", "--data", ct.WORK / "taken", *options(service, f"{PLACE}/kills"))
    ct.ok(said.status == 1 and "24 recordings are not read again yet" in said.err, "a check says so, too", said)
    service.fault = None
    server = Server("taken", *options(service, f"{PLACE}/kills"))
    check_all(server, range(24), "when the catalog is lost")
    server.end()
    said = ct.candor("server", "--check", "--data", ct.WORK / "taken", *options(service, f"{PLACE}/kills"))
    ct.ok(said.status == 0, "a check reads all of them", said)


def check_backup(service, name):
    """A backup as objects is the store, piece by piece; damage is noticed."""
    place = f"s3://{s3.BUCKET}/backups/{name}"
    given = options(service)[4:]  # without --cold and --cold-after
    server = Server(f"{name}-data")
    ct.ok(send(server, range(12)) and total(server) == weight(range(12)), f"{name}: a store")
    server.end()
    said = ct.candor("server", "--data", server.data, "--backup", place, *given)
    ct.ok(said.status == 0 and not server.data.with_name(f"{name}-data.sending").exists(), f"{name}: is backed up", said)
    said = ct.candor("server", "--data", server.data, "--backup", place, *given)
    ct.ok(said.status == 1 and "is a backup already" in said.err, f"{name}: a second time it is refused", said)
    said = ct.candor("server", "--data", ct.WORK / f"{name}-again", "--restore", place, *given)
    ct.ok(said.status == 0 and said.out.endswith("good\n"), f"{name}: is restored", said)
    server = Server(f"{name}-again")
    check_all(server, range(12), f"{name}: restored")
    server.end()
    said = ct.candor("server", "--data", ct.WORK / "none", "--restore", f"{place}x", *given)
    ct.ok(said.status == 1 and "is no backup" in said.err and not (ct.WORK / "none").exists(), f"{name}: a wrong prefix", said)
    return place, given


def check_older_backup(service):
    """Recordings that became objects after a backup are not lost, and no object is left that nobody knows."""
    given = options(service, f"{PLACE}/older")
    server = Server("older", *given)
    ct.ok(send(server, range(3)) and moved(server, 3), "older: recordings become objects", log_of(server)[-1000:])
    server.end()
    said = ct.candor("server", "--data", server.data, "--backup", ct.WORK / "older-backup", *given)
    ct.ok(said.status == 0, "older: a backup", said)
    server = Server("older", *given)
    ct.ok(send(server, range(3, 6)) and moved(server, 6), "older: more come", log_of(server)[-1000:])
    server.end()
    said = ct.candor("server", "--data", ct.WORK / "older-again", "--restore", ct.WORK / "older-backup", *given)
    ct.ok(said.status == 0 and said.out.endswith("good\n"), "older: is restored", said)
    server = Server("older-again", *given)
    check_all(server, range(6), "older: restored")
    server.end()


def check_damaged_backup(service):
    place, given = check_backup(service, "stub")
    name = next(name for name in service.names() if "/stub/files/recordings/" in name)
    service.objects[name] = service.objects[name][:-1] + b"?"
    said = ct.candor("server", "--data", ct.WORK / "none", "--restore", place, *given)
    ct.ok(said.status == 1 and "is damaged" in said.err and not (ct.WORK / "none").exists() and not (ct.WORK / "none.fetched").exists(),
          "a damaged piece is noticed, and nothing is left", said)


def main():
    stub = s3.Stub()
    check_service(stub, "stub")
    ct.ok(not [name for name in stub.names() if "/recordings/" in name], "no object is left", stub.names())
    check_damaged_backup(stub)
    check_faults(stub)
    check_kills(stub)
    check_places(stub)
    check_late_owner(stub)
    check_older_backup(stub)
    stub.stop()
    for kind in s3.OTHERS:
        name, why = kind.__name__.lower(), kind.missing()
        if why:
            ct.skip(name, why)
            continue
        service = kind()
        check_service(service, name)
        check_backup(service, name)
        service.stop()
    ct.done()


if __name__ == "__main__":
    main()
