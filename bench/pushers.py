#!/usr/bin/env python3
"""How many Go services one candor server takes: each sends its profiles every 15 s, as Pyroscope's Go agent does.

usage: script/bench pushers [--services N,N,...] [--interval S] [--rounds N] [--types cpu,heap,...] [--output FOLDER]

bench/server/pushers runs a program that works as services do under the real agent (pyroscope-go), keeps what it uploads, and sends that for
many services, each with its own name and moment. Each step of --services has a server and a folder of its own. Senders and server share the
machine, so the ceiling is that of both; the table has the CPU time of each. Raw data go to OUTPUT/pushers.csv, the page to
OUTPUT/pushers.md. It needs Go. The machine should do nothing else.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import candortest as ct
import goclients
from results import Results, output_option
from server_costs import cpu_seconds, memory_mb
from servers import Server

FIELDS = ("services", "types", "requests", "seconds", "taken", "refused", "unanswered", "bytes", "p50_ms", "p99_ms", "max_ms", "server_cpu",
          "senders_cpu", "memory_mb", "disk_bytes")
CAPTURED_ROUNDS = 2
SENDERS = ROOT / "bench" / "server" / "pushers"


def captured(program, options):
    """The folder of the agent's uploads, made once for an interval."""
    folder = goclients.CACHE / f"{program.name}-{options.interval}s"
    if not folder.exists():
        made = ct.WORK / "captured"
        subprocess.run([program, "capture", made, str(options.interval), str(CAPTURED_ROUNDS)], check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(made, folder)
    return folder


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(program, folder, options, services):
    """A row: what so many services sent, and what became of it."""
    server = Server(f"pushers-{services}", "--max-disk", "60G")
    before, senders = cpu_seconds(server), children_seconds()
    out = subprocess.run([program, "send", folder, server.url, str(services), str(options.interval), str(options.rounds), options.types],
                         check=True, stdout=subprocess.PIPE, text=True).stdout
    used = cpu_seconds(server) - before
    sent, metrics = json.loads(out), server.metrics()
    taken, unanswered = sent["outcomes"].pop("200", 0), sent["outcomes"].pop("no answer", 0)
    if metrics["candor_server_recordings_stored_total"] < taken or not server.balances():
        sys.exit(f"pushers: {taken} uploads were taken, but {metrics['candor_server_recordings_stored_total']} recordings are stored")
    row = {"services": services, "types": options.types, "requests": sent["uploads"], "seconds": round(sent["seconds"], 1), "taken": taken,
           "refused": sum(sent["outcomes"].values()), "unanswered": unanswered, "bytes": sent["bytes"],
           **{f"{name}_ms": round(1000 * sent[name], 1) for name in ("p50", "p99", "max")},
           "server_cpu": round(used / sent["seconds"], 3), "memory_mb": round(memory_mb(server, "VmHWM")),
           "disk_bytes": sum(file.stat().st_size for file in server.data.rglob("*") if file.is_file())}
    server.end()
    row["senders_cpu"] = round((children_seconds() - senders - used) / sent["seconds"], 3)
    shutil.rmtree(server.data)
    return row


def row_of(r):
    """A row of the page's table."""
    rate, size = r["requests"] / r["seconds"], r["bytes"] / r["seconds"] / 1e6
    times = " | ".join(f"{r[name]:,.0f} ms" for name in ("p50_ms", "p99_ms", "max_ms"))
    return (f"| {r['services']:,} | {rate:,.0f} | {size:.1f} | {r['taken']:,} | {r['refused']:,} | {r['unanswered']:,} | {times} "
            f"| {r['server_cpu']:.2f} | {r['senders_cpu']:.2f} | {r['memory_mb']} MB |")


def agent_version():
    module = next(line for line in (SENDERS / "go.mod").read_text().splitlines() if "grafana/pyroscope-go " in line)
    return f"pyroscope-go {module.split()[-1].lstrip('v')}"


def page(results, options):
    most = max(results.rows, key=lambda r: r["taken"] / r["seconds"])
    rate, each = most["taken"] / most["seconds"], len(options.types.split(",")) / options.interval
    lines = ["# Many services that push, measured", "",
             f"{results.origin()}. Each service sends every {options.interval} s",
             f"what Pyroscope's Go agent ({agent_version()})",
             f"sends of a small web service: `{options.types}`, a request each. Senders and server share the processors.",
             "Times are from the moment at which an upload was due to its answer. Nothing is sent again.", "",
             "| services | requests/s | MB/s | taken | refused | without an answer in 30 s | time, median | 99 % | longest "
             "| CPU of the server | CPU of the senders | memory |", "|---|---|---|---|---|---|---|---|---|---|---|---|",
             *map(row_of, results.rows), "",
             f"CPU is in processors. The most that this server stored is {rate:,.0f} uploads a second,",
             f"what {rate / each:,.0f} such services send: that is the ceiling.",
             f"There the server used {most['server_cpu']:.2f} of {os.cpu_count()} processors, the senders {most['senders_cpu']:.2f}.",
             *(["Beyond the ceiling the server did not refuse uploads: answers take longer, and clients wait in turn."]
               if not any(row["refused"] for row in results.rows) else []),
             "An agent whose upload takes longer than 30 s drops it; the server stores every upload that it has answered."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--services", default="500,1000,2000")
    parser.add_argument("--interval", type=int, default=15, help="seconds between two uploads of a service")
    parser.add_argument("--rounds", type=int, default=4, help="uploads of each service and type")
    parser.add_argument("--types", default="cpu,heap", help="of cpu,heap,goroutine,mutex,block; the agent's default is cpu,heap")
    output_option(parser)
    options = parser.parse_args()
    program = goclients.build("pushers", SENDERS)
    if not program:
        sys.exit("pushers: the senders cannot be built; install Go, as script/bootstrap does")
    folder = captured(program, options)
    results = Results(options.output / "pushers.csv", FIELDS)
    for services in map(int, options.services.split(",")):
        row = measure(program, folder, options, services)
        results.add(**row)
        print(row, flush=True)
    (options.output / "pushers.md").write_text(page(results, options))


main()
