#!/usr/bin/env python3
"""The tests of the store, with rows in ClickHouse: the same programs as tests/unit/test_store*.c, on the distribution's server with its old
dialect, on two of them, and on today's engine. They skip what is about files of rows.

tier: full
timeout: 3000
sanitize: no
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import clickhouse

ALL = ("", "_types", "_contexts", "_functions", "_retention", "_merge", "_rollups", "_rounded")
PROGRAMS = {clickhouse.Debian: ("", "_types", "_rollups", "_rounded"), clickhouse.Cluster: ALL,
            clickhouse.Current: ("", "_types", "_contexts", "_functions", "_retention", "_merge")}


def run(engine, name):
    """Each point of the program is one of this test."""
    program = ct.BUILD / "tests" / "unit" / f"test_store{name}"
    ct.need(program)
    done = subprocess.run([program], capture_output=True, text=True, errors="replace", timeout=800, check=False,
                          env={**os.environ, **engine.environment})
    bad = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
    good = sum(line.startswith("ok") for line in done.stdout.splitlines())
    ct.ok(not done.returncode and not bad and good > 5, f"test_store{name}: {good} points", done.stdout[-3000:] + done.stderr[-1000:])


for kind, programs in PROGRAMS.items():
    why = kind.missing()
    if why:
        ct.skip(f"ClickHouse, {kind.__name__}", why)
        continue
    server = kind(kind.__name__.lower())
    for program_name in programs:
        run(server, program_name)
    if kind is clickhouse.Cluster:
        counts = [int(one.ask("SELECT count() FROM candor_rows_here")) for one in (server, server.other)]
        ct.ok(all(counts), "each of the two servers has rows", counts)
    server.stop()
ct.done()
