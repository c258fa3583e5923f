#!/usr/bin/env python3
"""How many hosts one candor server takes: recordings of a real Tomcat are sent as those of many hosts, in turns and all at once.

usage: script/bench hosts [--hosts N,N,...] [--open N,N,...] [--chunk S] [--rounds N] [--storm N] [--recording FILE]... [--output FOLDER]

A Tomcat under load is recorded for some times --chunk, with the events of the daemon. Then each host sends one of these recordings every
--chunk seconds, as the daemon does: packed, with the labels of its service, host and version, at a moment of its own, and with the times
of its own clock, which is up to two minutes off. Each step of --hosts has a server and a folder of its own, and at most 256 recordings
are under way. Those of --open send each recording when it is due, however many wait already (lib/open_senders.py): the server puts off what
it cannot take. Then, with --storm, so many hosts come back from an outage: each sends three recordings as fast as it can. A host that gets
429 or 503 waits as long as the answer says, and sends again. At the end each recording that was acknowledged must be there, once.
Senders and server share the machine; the table has the CPU time of each. Raw data go to OUTPUT/hosts.csv, the page to OUTPUT/hosts.md.
The machine should do nothing else.
"""
import argparse
import collections
import contextlib
import http.client
import itertools
import json
import multiprocessing
import pathlib
import random
import shutil
import statistics
import struct
import subprocess
import sys
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import candortest as ct
import open_senders
from results import Results, output_option
from server_costs import catalogue, cpu_seconds, memory_mb
from servers import Server
from tomcat import Tomcat

FIELDS = ("part", "hosts", "chunk", "seconds", "sent", "taken", "put_off", "given_up", *open_senders.OUTCOMES[:-1], "most_waiting",
          "first_put_off_s", "packed_bytes", "bytes", "p50_ms", "p99_ms", "max_ms",
          "server_cpu", "senders_cpu", "memory_mb", "recording_bytes", "rows", "segment_bytes", "dictionary_bytes", "query_ms")
HOSTS_OF_SERVICE, RECORDINGS, SKEWS, SENDERS, STORM_ROUNDS, TRIES = 20, 4, (0, -120, -7, 3, 120), 256, 3, 20
LATEST = 600  # seconds before now at which the first round begins: all clocks are then in the past


# -- recordings ------------------------------------------------------------------------------------------------------

def record(chunk):
    """Files of a Tomcat under load, of `chunk` seconds each."""
    tomcat = Tomcat(ct.jdks()[-1], "hosts")
    load = tomcat.load(RECORDINGS * (chunk + 2) + 5, "-r", 400)
    time.sleep(5)
    files = [ct.WORK / f"real-{i}.jfr" for i in range(RECORDINGS)]
    for file in files:
        tomcat.record("cpu,wall,alloc,lock,halt", file)
        time.sleep(chunk)
        ct.candor("stop", tomcat.pid)
    load.kill()
    tomcat.end()
    return files


def at(content, begin_ns):
    """The recording as if it had begun at that time: a chunk's head says when its ticks began."""
    content, offset, shift = bytearray(content), 0, None
    while offset < len(content):
        size, start = struct.unpack_from(">q", content, offset + 8)[0], struct.unpack_from(">q", content, offset + 32)[0]
        shift = begin_ns - start if shift is None else shift
        struct.pack_into(">q", content, offset + 32, start + shift)
        offset += size
    return bytes(content)


def pack(files, rounds, chunk):
    """{(recording, round, skew): path} of the recordings, packed as the daemon packs them."""
    begin, packed = time.time() - LATEST - rounds * chunk, {}
    for (i, file), turn, skew in itertools.product(enumerate(files), range(rounds), SKEWS):
        path = ct.WORK / f"packed-{i}-{turn}-{skew}"
        content = at(file.read_bytes(), int((begin + turn * chunk + skew) * 1e9))
        path.write_bytes(subprocess.run(["zstd", "-q", "-4", "-c"], input=content, check=True, stdout=subprocess.PIPE).stdout)
        packed[i, turn, skew] = path
    return packed


# -- sending ---------------------------------------------------------------------------------------------------------

def uploads(packed, hosts, rounds, chunk, at_once):
    """What the hosts send, in the order in which it is due."""
    draw, out = random.Random(hosts), []
    for host in range(hosts):
        moment, skew = draw.uniform(0, chunk), draw.choice(SKEWS)
        labels = {"service": f"shop-{host // HOSTS_OF_SERVICE}", "host": f"host-{host}", "version": f"1.{host % 3}"}
        for turn in range(rounds):
            due = 0 if at_once else moment + turn * chunk
            path = packed[host % len({key[0] for key in packed}), turn, skew]
            out.append(open_senders.Upload(due, host, path, urllib.parse.urlencode(labels)))
    return sorted(out)


def send_one(connection, upload, began, totals):
    """Sends until it is taken; a refusal says when to come again."""
    content = upload.path.read_bytes()
    for _ in range(TRIES):
        connection.request("POST", f"/v1/recordings?{upload.query}", content)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status == 200:
            totals["ids"].append(json.loads(text)["id"])
            totals["times"].append(time.monotonic() - began - upload.due)
            return
        if answer.status not in (429, 503):
            raise RuntimeError(f"status {answer.status}: {text[:200]}")
        totals["put_off"] += 1
        totals[f"put_off_{answer.status}"] += 1
        time.sleep(float(answer.headers["Retry-After"]))
    totals["given_up"] += 1


def work(port, queue, began, lock, totals):
    own = {**{name: 0 for name in open_senders.OUTCOMES}, "put_off": 0, "times": [], "ids": [], "bytes": 0}
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=300)) as connection:
        while True:
            with lock:
                upload = queue.popleft() if queue else None
            if not upload:
                break
            time.sleep(max(0, began + upload.due - time.monotonic()))
            send_one(connection, upload, began, own)
            own["bytes"] += upload.path.stat().st_size
    with lock:
        for key, value in own.items():
            totals[key] += value


def send_all(port, list_of_uploads, pipe):
    """A process of its own, so that its CPU time is not the benchmark's."""
    queue, lock, totals = collections.deque(list_of_uploads), threading.Lock(), collections.defaultdict(int, times=[], ids=[])
    began = time.monotonic()
    threads = [threading.Thread(target=work, args=(port, queue, began, lock, totals)) for _ in range(SENDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pipe.send({**totals, "taken": len(totals["ids"]), "seconds": time.monotonic() - began, "cpu": time.process_time(),
               "most_waiting": SENDERS, "first_put_off_s": None})


def sent(server, list_of_uploads):
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=send_all, args=(server.port, list_of_uploads, theirs))
    process.start()
    totals = ours.recv()
    process.join()
    return totals


# -- a step ----------------------------------------------------------------------------------------------------------

def bytes_in(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def query_ms(server):
    """A flame graph of one service's last hours, the median of five."""
    times = []
    for _ in range(5):
        began = time.monotonic()
        status, _, content = server.request("GET", "/v1/profile", select='service="shop-0"', **{"from": int(time.time()) - 7200,
                                                                                             "to": int(time.time()) + 300})
        if status != 200:
            sys.exit(f"hosts: a query fails: {content[:200]}")
        times.append(time.monotonic() - began)
    return 1000 * statistics.median(times)


def check(server, totals, sent_count):
    """Whether each upload was taken or given up, and each that was acknowledged is there exactly once."""
    stored = server.metrics()["candor_server_recordings_stored_total"]
    ids = [one["id"] for one in server.get("/v1/recordings", limit=100000, **{"from": 1, "to": int(time.time()) + 86400})["recordings"]]
    if totals["taken"] + totals["given_up"] != sent_count:
        sys.exit("hosts: not all recordings were sent")
    if len(ids) != stored or len(set(ids)) != stored or len(set(totals["ids"])) != totals["taken"] or not set(totals["ids"]) <= set(ids):
        sys.exit(f"hosts: {totals['taken']} recordings were acknowledged, but {stored} are stored, and {len(ids)} are listed")
    if not server.balances():
        sys.exit("hosts: the server's counters do not balance")


def step(packed, sizes, part, hosts, rounds, chunk):
    server = Server(f"hosts-{part}-{hosts}", "--max-disk", "60G", "--analyze-cpu", "2%")
    before = cpu_seconds(server)
    list_of_uploads = uploads(packed, hosts, rounds, chunk, part == "storm")
    totals = open_senders.send(server.port, list_of_uploads) if part == "open" else sent(server, list_of_uploads)
    used = cpu_seconds(server) - before
    check(server, totals, len(list_of_uploads))
    times = sorted(totals["times"])
    rows, _, segment_bytes, dictionary_bytes, _ = catalogue(server)
    row = {"part": part, "hosts": hosts, "chunk": chunk, "seconds": round(totals["seconds"], 1), "sent": len(list_of_uploads),
           **{key: totals[key] for key in ("taken", "put_off", *open_senders.OUTCOMES, "most_waiting", "first_put_off_s")},
           "packed_bytes": totals["bytes"],
           "bytes": sum(sizes[upload.path] for upload in list_of_uploads),
           "p50_ms": round(1000 * times[len(times) // 2]), "p99_ms": round(1000 * times[len(times) * 99 // 100]),
           "max_ms": round(1000 * times[-1]), "server_cpu": round(used / totals["seconds"], 3),
           "senders_cpu": round(totals["cpu"] / totals["seconds"], 3), "memory_mb": round(memory_mb(server, "VmHWM")),
           "recording_bytes": bytes_in(server.data / "recordings"), "rows": rows, "segment_bytes": segment_bytes,
           "dictionary_bytes": dictionary_bytes, "query_ms": round(query_ms(server), 1)}
    server.end()
    shutil.rmtree(server.data)
    return row


# -- the page --------------------------------------------------------------------------------------------------------

NAMES = {"turns": "", "open": " on an open schedule", "storm": " at once"}


def row_of(r):
    what = f"{r['hosts']:,}{NAMES[r['part']]}"
    rates = " | ".join(f"{r[name] / r['seconds'] / 1e6:.1f}" for name in ("bytes", "packed_bytes"))
    counts = " | ".join(f"{r[name]:,}" for name in ("taken", "put_off", "given_up"))
    times = " | ".join(f"{r[name]:,} ms" for name in ("p50_ms", "p99_ms", "max_ms"))
    return (f"| {what} | {r['taken'] / r['seconds']:,.0f} | {rates} | {counts} | {times} | {r['server_cpu']:.2f} | {r['senders_cpu']:.2f} "
            f"| {r['memory_mb']} MB | {r['query_ms']:.0f} ms |")


def cost_of(r):
    each = " | ".join(f"{r[name] / r['taken'] / 1000:.0f} KB" for name in ("bytes", "recording_bytes", "segment_bytes"))
    services = -(-r["hosts"] // HOSTS_OF_SERVICE)
    return (f"| {r['hosts']:,} | {1000 * r['server_cpu'] * r['seconds'] / r['taken']:.1f} ms | {each} | {r['rows'] / r['taken']:,.0f} "
            f"| {r['dictionary_bytes'] / services / 1e6:.1f} MB |")


def shed_of(r):
    first = "-" if r["first_put_off_s"] is None else f"{r['first_put_off_s']:.0f} s"
    names = ("sent", "most_waiting", "put_off_429", "put_off_503", "unanswered", "without_retry", "taken")
    counts = " | ".join(f"{r[name]:,}" for name in names)
    return f"| {r['hosts']:,} | {r['hosts'] / r['chunk']:,.0f} | {first} | {counts} |"


def page(results, options):
    lines = ["# Many hosts, measured", "",
             f"{results.origin()}. Each host sends a real",
             f"recording of a Tomcat every {options.chunk} s, packed, as the daemon does, with a clock that is up to two minutes off.",
             "`at once`: hosts that come back from an outage send three recordings each, as fast as the server takes them.",
             "Senders and server share the processors. Times are from the moment at which a recording was due to its answer.", "",
             "| hosts | recordings/s | MB/s | MB/s packed | taken | put off (429, 503) | given up | time, median | 99 % | longest "
             "| CPU of the server | CPU of the senders | memory | a service's flame graph |", "|---|" + "---|" * 13,
             *map(row_of, results.rows), "",
             "| hosts | CPU time of the server for a recording | its bytes | on the disk | its samples on the disk | rows "
             "| names and stacks of a service's day |", "|---|---|---|---|---|---|---|",
             *map(cost_of, results.rows)]
    shed = [row for row in results.rows if row["part"] == "open"]
    if shed:
        lines += ["", "On an open schedule each recording is sent when it is due, however many wait already. One that was put off comes",
                  "again when the answer says. Each that was acknowledged was there afterwards, exactly once.", "",
                  "| hosts | due each second | first put off after | sent | under way at most | 429 | 503 | no answer "
                  "| without Retry-After | taken |",
                  "|---|" + "---|" * 9, *map(shed_of, shed)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", default="250,500,1000")
    parser.add_argument("--open", default="", help="hosts that send on an open schedule")
    parser.add_argument("--chunk", type=int, default=30, help="seconds of a recording")
    parser.add_argument("--rounds", type=int, default=2, help="recordings of each host")
    parser.add_argument("--storm", type=int, default=0, help="hosts that send at once")
    parser.add_argument("--recording", type=pathlib.Path, action="append", help="send these, instead of a Tomcat's")
    output_option(parser)
    options = parser.parse_args()
    ct.WORK.mkdir(parents=True, exist_ok=True)
    files = options.recording or record(options.chunk)
    packed = pack(files, max(options.rounds, STORM_ROUNDS), options.chunk)
    sizes = {path: files[key[0]].stat().st_size for key, path in packed.items()}
    results = Results(options.output / "hosts.csv", FIELDS)
    steps = [(part, int(hosts), options.rounds) for part, many in (("turns", options.hosts), ("open", options.open))
             for hosts in filter(None, many.split(","))]
    steps += [("storm", options.storm, STORM_ROUNDS)] if options.storm else []
    for part, hosts, rounds in steps:
        row = step(packed, sizes, part, hosts, rounds, options.chunk)
        results.add(**row)
        print(json.dumps(row), flush=True)
    (options.output / "hosts.md").write_text(page(results, options))


main()
