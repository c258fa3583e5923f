#!/usr/bin/env python3
"""What a server keeps and deletes, by service: its options, /v1/storage, /metrics, and what answers say about it.

tier: default
timeout: 120
"""
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from servers import Server

NOW = int(time.time())
DAY = 86400
WHEN = {"from": NOW - 10 * DAY, "to": NOW + 60}
QUIET = 'say "hi"\\'  # a name that /metrics has to escape


def body(number):
    return "".join(f"a.B.main;a.B{number}.m{i} 1\n" for i in range(50)).encode()


def storage(server):
    answer = server.get("/v1/storage")
    return answer, {one["name"]: one for one in answer["services"]}


def sums(server):
    """For each kind of file: the bytes in /metrics, in all and by service, and in /v1/storage."""
    services, metrics = storage(server)[1], server.metrics()
    for of, key in (("recordings", "recording_bytes"), ("segments", "segment_bytes"), ("dictionaries", "dictionary_bytes"),
                    ("rollups", "rollup_bytes")):
        listed = [value for name, value in metrics.items() if name.startswith("candor_server_service_bytes") and f'of="{of}"' in name]
        yield metrics[f"candor_server_store_{key}"], sum(listed), sum(one[key] for one in services.values())


def check_sums(server, what):
    """Segments may be merged between two answers."""
    ct.ok(ct.wait_until(lambda: all(len(set(three)) == 1 for three in sums(server))), f"{what}: services add up to all", list(sums(server)))


def check_usage():
    for options, text in ((("--retain", "1d", "--retain-recordings", "2d"), "at most --retain"),
                          (("--retain-recordings", "1s"), "at least 1m"),
                          (("--retain", "30d", "--retain-hours", "29d"), "at least --retain, or 0"),
                          (("--retain-hours", "90d", "--retain-days", "80d"), "at least --retain-hours"),
                          (("--retain-hours", "long"), "not a duration"), (("--max-recordings", "0%"), "share of --max-disk"),
                          (("--max-disk-per-service", "101%"), "share of --max-disk"),
                          (("--max-disk-per-service", "some"), "share of --max-disk"),
                          (("--weights", "half"), "exact or rounded")):
        result = ct.candor("server", *options, "--data", ct.WORK / "none")
        ct.ok(result.status == 2 and text in result.err, f"{' '.join(options)} is refused", result)


def check_coarse():
    """Samples that are deleted stay as sums, and answers say of which times."""
    day = NOW // DAY * DAY - 3 * DAY
    server = Server("coarse")
    server.send(body(1), service="old", **{"from": day + 3600})
    ct.ok(ct.wait_until(lambda: storage(server)[1]["old"].get("oldest_days") == day), "sums are made", storage(server))
    ct.ok("coarse" not in server.get("/v1/series", step=3600, **{"from": day, "to": day + DAY}), "with samples, times are exact")
    server.end()
    server = Server("coarse", "--retain", "1d")
    ct.ok(ct.wait_until(lambda: not storage(server)[1]["old"]["segment_bytes"]), "samples are deleted", storage(server))
    answer = server.get("/v1/series", step=3600, **{"from": day, "to": day + DAY})
    ct.ok(answer["complete"] and answer["series"][0]["points"] == [[day + 3600, 50]] and answer["recordings"] == 1, "their sums stay",
          answer)
    ct.ok(answer["coarse"] == [{"from": day, "to": day + DAY, "step": 3600}], "and the answer says that they are sums by hour", answer)
    answer = server.get("/v1/flamegraph", **{"from": day + 3600 + 60, "to": day + DAY})["server"]
    ct.ok(not answer["complete"] and answer["missing"]["coarse"]["weight"] == 50, "of a part of an hour, it says what is missing", answer)
    status, headers, _ = server.request("GET", f"/v1/profile?format=collapsed&from={day}&to={day + DAY}")
    ct.ok(status == 200 and headers["X-Candor-Coarse"] == f"{day}-{day + DAY}/3600", "so does the header of a profile", dict(headers))
    listed = server.get("/v1/recordings", **{"from": day, "to": day + DAY})
    ct.ok(not listed["complete"] and not listed["recordings"], "the list of recordings says that it lacks them", listed)
    server.end()


def main():
    check_usage()
    check_coarse()
    server = Server("storage")
    for day in range(3):
        for number in range(4):
            server.send(body(4 * day + number), service="noise", **{"from": NOW - day * DAY})
        server.send(body(100 + day), service=QUIET, **{"from": NOW - day * DAY})
    check_sums(server, "at first")
    before = storage(server)[1]
    ct.ok({name: one["recordings"] for name, one in before.items()} == {"noise": 12, QUIET: 3}, "recordings by service", before)
    ct.ok(before["noise"]["oldest"] == (NOW - 2 * DAY) // DAY * DAY, "and the oldest day", before)
    server.end()
    limit = before["noise"]["recording_bytes"] // 2 + before["noise"]["segment_bytes"] + before["noise"]["dictionary_bytes"]
    server = Server("storage", "--max-disk-per-service", limit, "--retain-recordings", "30d")
    ct.wait_until(lambda: storage(server)[0]["deleted"]["max_disk_per_service"]["recordings"])
    answer, after = storage(server)
    ct.ok(answer["limits"] == {"retain": 36500 * DAY, "retain_recordings": 30 * DAY, "retain_hours": 36500 * DAY,
                                "retain_days": 36500 * DAY, "max_disk": 10 << 30, "max_disk_per_service": limit},
          "the limits", answer["limits"])
    deleted = answer["deleted"]["max_disk_per_service"]
    ct.ok(deleted["recording_bytes"] + after["noise"]["recording_bytes"] == before["noise"]["recording_bytes"] and not deleted["days"],
          "recordings were deleted", answer)
    ct.ok(server.total('service="noise"', **WHEN) == 600, "their samples are there")
    ct.ok(after[QUIET]["recording_bytes"] == before[QUIET]["recording_bytes"], "another service has all of its")
    ct.ok(server.metrics()['candor_server_store_deleted_recordings_total{reason="max_disk_per_service"}'] == deleted["recordings"],
          "/metrics has the count, too")
    check_sums(server, "then")
    server.end()
    server = Server("storage", "--max-disk-per-service", 1)
    ct.wait_until(lambda: storage(server)[0]["deleted"]["max_disk_per_service"]["days"] >= 4)
    said = server.get("/v1/methods", select='service="noise"', **WHEN)["server"]
    missing = said["missing"]["max_disk_per_service"]["parts"]
    ct.ok(said["total"] == 200 and missing == 8, "days that were deleted are missing, and why", said)
    check_sums(server, "at last")
    server.end()
    ct.done()


main()
