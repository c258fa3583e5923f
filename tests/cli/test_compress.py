#!/usr/bin/env python3
"""Packed recordings: read by every command, written by candor convert, checked by the formats' own tools; damage and bombs.

tier: quick
timeout: 120
"""
import gzip
import json
import lzma
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings
from recordings import HOT, MS

FORMATS = {"gzip": ".gz", "lz4": ".lz4", "zstd": ".zst", "xz": ".xz"}


def make():
    lines = [("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1)]
    for i in range(500):
        lines.append(("sample", 1, 10 * MS, "complete", f"{HOT};demo.Work.m{i % 50}:{i}"))
    return recordings.make("app.jfr", [*lines, ("rotate",), *lines[1:]])


def fails(status, words, *arguments):
    result = ct.candor(*arguments)
    ct.ok(result.status == status and words in result.err and result.err.count("\n") == 1,
          f"{' '.join(map(str, arguments[:3]))}: {words}", result)


def unpacked_by_tool(name, path):
    """The output of the format's own tool for these bytes; None if the tool is missing."""
    if name in ("gzip", "xz"):
        return (gzip if name == "gzip" else lzma).decompress(path.read_bytes())
    return subprocess.run([name, "-dc", path], capture_output=True).stdout if shutil.which(name) else None


def test_format(path, name, extension):
    plain, packed = path.read_bytes(), ct.WORK / f"app.jfr{extension}"
    result = ct.candor("convert", path, packed)
    ct.ok(result.status == 0 and packed.stat().st_size < len(plain) / 2, f"{name}: packed", result)
    by_tool = unpacked_by_tool(name, packed)
    if by_tool is None:
        ct.skip(f"{name}: its own tool unpacks it", f"no {name} in PATH")
    else:
        ct.ok(by_tool == plain, f"{name}: its own tool unpacks it")
    anonymous = ct.WORK / "anonymous"
    anonymous.write_bytes(packed.read_bytes())
    for command in (["report", "--json"], ["summary", "--json"], ["print"]):
        a, b = ct.candor(*command, path), ct.candor(*command, anonymous)
        ct.ok(b.status == 0 and a.out == b.out and not b.err, f"{name}: {command[0]} by content, not by name", b.err)
    piped = subprocess.run([ct.PROGRAM, "summary", "-"], stdin=open(packed), capture_output=True, text=True)
    ct.ok(piped.stdout == ct.candor("summary", path).out, f"{name}: through a pipe", piped)
    back = ct.WORK / "back.jfr"
    ct.ok(ct.candor("convert", packed, back).status == 0 and back.read_bytes() == plain, f"{name}: unpacked again")
    ct.ok(ct.candor("convert", packed, ct.WORK / "a.collapsed").status == 0
          and ct.candor("convert", path, ct.WORK / "b.collapsed").status == 0
          and (ct.WORK / "a.collapsed").read_text() == (ct.WORK / "b.collapsed").read_text() != "", f"{name}: convert reads it")
    test_cut(packed, name)


def test_cut(packed, name):
    cut = ct.WORK / "cut"
    whole, answers = packed.read_bytes(), set()
    for size in range(8, len(whole), max(1, len(whole) // 60)):
        cut.write_bytes(whole[:size])
        result = ct.candor("summary", "--json", cut)
        good = result.status == 0 and any("cut off" in p["text"] for p in json.loads(result.out)["problems"])
        refused = result.status == 1 and result.err.count("\n") == 1
        answers.add("read" if good else "refused" if refused else f"{size}: {result}")
    ct.ok(answers <= {"read", "refused"}, f"{name}: cut anywhere, it is read or refused, and told", answers)


def test_options(path):
    small, large = ct.WORK / "small.jfr.zst", ct.WORK / "large.jfr.zst"
    ct.candor("convert", "--compress", "zstd:19", path, small)
    ct.candor("convert", "--compress", "zstd:1", path, large)
    ct.ok(0 < small.stat().st_size < large.stat().st_size, "levels")
    out = subprocess.run([ct.PROGRAM, "convert", "--to", "jfr", "--compress", "gzip", path, "-"], capture_output=True).stdout
    ct.ok(gzip.decompress(out) == path.read_bytes(), "to standard output")
    fails(2, "levels of zstd are 1 to 19", "convert", "--compress", "zstd:77", path, small)
    fails(2, "must be one of gzip, lz4, zstd, xz", "convert", "--compress", "rar", path, small)
    fails(2, "packs recordings", "convert", "--compress", "gzip", path, ct.WORK / "a.html")
    fails(2, "missing", "convert", path)
    fails(2, "writes no file", "convert", "--compress", "list", path, small)
    fails(2, "--max-unpacked", "report", "--max-unpacked", "much", path)
    table = ct.candor("convert", "--compress", "list", path).out
    rows = re.findall(r"^(gzip|lz4|zstd|xz) +(\d+) +[\d,]+ +([\d.]+) +[\d.]+ +[\d.]+$", table, re.MULTILINE)
    ct.ok({row[0] for row in rows} >= {"gzip", "lz4", "zstd"} and all(float(row[2]) > 1.5 for row in rows), "a table of all formats", table)


def test_bomb():
    bomb = ct.WORK / "bomb.gz"
    with gzip.open(bomb, "wb", 9) as file:
        for _ in range(100):
            file.write(bytes(1 << 20))
    for command in ("report", "print", "summary"):
        fails(1, "200 times its size", command, bomb)
    fails(1, "200 times its size", "convert", bomb, ct.WORK / "bomb.html")
    fails(1, "--max-unpacked", "summary", "--max-unpacked", "50M", bomb)
    fails(1, "not a JFR recording", "summary", "--max-unpacked", "1G", bomb)
    damaged = ct.WORK / "damaged.gz"
    damaged.write_bytes(gzip.compress(b"")[:12])
    fails(1, "not a JFR recording", "report", damaged)


ct.need(recordings.MAKER, ct.PROGRAM)
recording = make()
for name, extension in FORMATS.items():
    test_format(recording, name, extension)
test_options(recording)
test_bomb()
ct.done()
