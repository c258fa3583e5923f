"""candor convert and candor report with other tools' formats: what those tools read from our files, and what we read from theirs.

tier: default
timeout: 300
"""
import csv
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from recordings import MS, by_name, example, make, report_json

FORMATS = {"pb.gz": "pprof", "otlp": "otlp", "speedscope.json": "speedscope", "collapsed": "collapsed"}


def convert(path, extension, *options):
    out = ct.WORK / f"{path.stem}.{extension}"
    result = ct.candor("convert", *options, path, out)
    ct.ok(result.status == 0 and out.stat().st_size > 0, f"written: .{extension}", result)
    return out


def shares(report):
    return {m["name"]: (m["self"], m["total"]) for m in report.get("methods", ())}


def test_round_trips(path):
    """What each format says about methods equals what the recording says, to the nanosecond."""
    truth = report_json(path)
    for extension, source in FORMATS.items():
        options = ["--unit", "ns"] if source == "collapsed" else []
        out = convert(path, extension, *options)
        found = report_json(out, *(["--value", "ns"] if source == "collapsed" else []))
        ct.ok(found.get("source") == source and shares(found) == shares(truth), f"{source}: every method's self and total", found)
        ct.ok(found["unit"] == "ns" and found["sampled"] == truth["sampled"], f"{source}: the unit and the sum", found)
        if source != "collapsed":
            ct.ok(found["methods"][0]["samples"] == 71 and by_name(found["threads"])["main"]["self"] == 990 * MS,
                  f"{source}: samples and threads", found)


def test_from(path):
    """The content decides, unless --from decides otherwise; invalid data of a known kind are named."""
    out = convert(path, "pb.gz")
    named = shutil.copy(out, ct.WORK / "some.bin")
    ct.ok(report_json(named).get("source") == "pprof", "the name does not matter")
    plain = ct.WORK / "plain"
    plain.write_bytes(gzip.decompress(out.read_bytes()))
    ct.ok(report_json(plain).get("source") == "pprof", "pprof without gzip")
    piped = subprocess.run([ct.PROGRAM, "report", "--json", "-"], input=out.read_bytes(), capture_output=True)
    ct.ok(piped.returncode == 0 and json.loads(piped.stdout)["source"] == "pprof", "from a pipe", piped.stderr)
    piped = subprocess.run([ct.PROGRAM, "report", "--json", "-"], input=path.read_bytes(), capture_output=True)
    ct.ok(piped.returncode == 0 and json.loads(piped.stdout)["samples"] == 101, "a recording from a pipe", piped.stderr)
    pipe = ct.WORK / "pipe"
    os.mkfifo(pipe)
    for file, options in ((path, ()), (out, ("--from", "pprof"))):
        writer = ct.spawn(["sh", "-c", f"exec cat {file} >{pipe}"])
        found = report_json(pipe, *options)
        ct.ok(found.get("sampled") == 1000 * MS and writer.wait() == 0, f"from a named pipe: {file.name}", found)
    nowhere = ct.candor("report", ct.WORK / "nowhere")
    ct.ok(nowhere.status == 1 and "No such file" in nowhere.err, "a file that is not there", nowhere)
    for word in FORMATS.values():
        result = ct.candor("report", "--from", word, path)
        ct.ok(result.status == 1 and result.err.count("\n") == 1 and str(path) in result.err, f"a recording is no {word}", result)
    damaged = ct.WORK / "damaged.pb.gz"
    damaged.write_bytes(out.read_bytes()[:-20])
    result = ct.candor("report", damaged)
    ct.ok(result.status == 1 and "damaged" in result.err and result.err.count("\n") == 1, "half a gzip file", result)
    empty = ct.WORK / "empty"
    empty.write_bytes(b"")
    result = ct.candor("report", empty)
    ct.ok(result.status == 1 and result.err.count("\n") == 1, "an empty file", result)
    result = ct.candor("report", "--value", "wall", out)
    ct.ok(result.status == 1 and "the values are samples, cpu" in result.err, "a value that is not there", result)
    counted = report_json(out, "--value", "samples")
    ct.ok(counted.get("unit") == "samples" and counted["sampled"] == 101, "another value", counted)
    result = ct.candor("report", "--from", "gprof", path)
    ct.ok(result.status == 2, "a format that is none", result)


def test_no_place(path):
    """An option that the format has no place for is refused, and named."""
    for name, option, word in (
            ("linked.collapsed", ("--trace-link", "https://jaeger.example/{trace}"), "--trace-link is for html"),
            ("linked.jfr", ("--trace-link", "https://jaeger.example/{trace}"), "--trace-link is for html"),
            ("a.pb.gz", ("--title", "x"), "--title is for html and speedscope"), ("a.speedscope.json", ("--threads",), "--threads is for"),
            ("a.html", ("--unit", "ns"), "--unit is for collapsed"), ("a.pb.gz", ("--otlp-version", "1.9"), "--otlp-version is for otlp"),
            ("a.jfr.gz", ("--time", "0s..1s"), "--time chooses samples"), ("a.jfr", ("--full-names",), "--full-names changes names"),
            ("a", ("--to", "jitdump", "--title", "x"), "OUT is jitdump")):
        result = ct.candor("convert", *option, path, ct.WORK / name)
        ct.ok(result.status == 2 and word in result.err and not (ct.WORK / name).exists(), f"{option} in {name} is refused", result)
    for name, option in (("t.speedscope.json", ("--title", "x")), ("t.otlp", ("--otlp-version", "1.9")),
                         ("t.jfr", ("--max-unpacked", "1G"))):
        result = ct.candor("convert", *option, path, ct.WORK / name)
        ct.ok(result.status == 0 and (ct.WORK / name).exists(), f"{option} has a place in {name}", result)


FOREIGN = (
    ("callgrind", b"version: 1\ncreator: x\npart: 1\n\nevents: Time\n\nfl=(1) a.c\nfn=(1) main\n16 20\n", ("callgrind", "speedscope")),
    ("perf.data", b"PERFILE2" + bytes(100), ("perf", "perf script -i FILE")),
    ("callgrind of Xdebug", b"version: 1\ncreator: xdebug 3.0.2\ncmd: x\npart: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n"
     b"fl=(1) file1.c\nfn=(1) main\n16 20 15000\n", ("callgrind", "npx speedscope")),
    ("Chrome trace", b'{"traceEvents": [{"ph": "X", "ts": 1, "dur": 2, "name": "a"}]}', ("trace of Chrome", "npx speedscope")),
    ("Chrome trace, an array", b'[{"name": "a", "ph": "B", "ts": 1}]', ("trace of Chrome", "npx speedscope")),
    ("cpuprofile", b'{"nodes":[{"id":1,"callFrame":{"functionName":"x"}}],"samples":[1],"timeDeltas":[0]}', (".cpuprofile", "speedscope")),
    ("Firefox", b'{"meta": {"version": 27}, "libs": [], "threads": []}', ("Firefox", "npx speedscope")),
    ("Instruments", b"Weight\tSelf Weight\t\tSymbol Name\n1.0 s 100%\t0 s\t \tmain\n", ("Instruments", "npx speedscope")),
    (".NET", b"Nettrace\x14\0\0\0!FastSerialization.1", (".NET", "dotnet-trace convert --format speedscope FILE")),
    ("hprof text", b"JAVA PROFILE 1.0.1, created Thu Nov 26\n", ("hprof agent", "candor record")),
    ("heap dump", b"JAVA PROFILE 1.0.2\0" + bytes(20), ("heap dump", "-e live")),
    ("histogram log", b"#[Logged with x]\n#[StartTime: 1]\n", ("histogram log", "candor hist")),
)


NO_PROFILES = (
    ("a log", "Started server on port 8080\nServing 5\nall good\n"),
    ("one line", "Hello world 5\n"),
    ("a head", "version: 1\ncreator: me\n"),
    ("a list", "total 12\n-rw-r--r-- 1 root root 5 x.txt\n"),
    ("prose with a ;", "One; two 3\nThen it ended.\nAnd nothing came of it.\n"),
)
PROFILES = (
    ("single frames", "main 5\nrun 7\n"),
    ("C++ beside stacks", "a;b 5\nstd::map<int, int>::find(int) 1\n"),
    ("one broken line of ten", "a;b 5\n" * 9 + "a;b\n"),
)


def test_documented():
    """docs/formats/others.md has a row for each format that --from knows."""
    known = re.search(r"theirformat\(([a-z|]+)\)", re.sub(r"\s+", "", ct.candor("help", "report", "--all").out))
    rows = re.findall(r"^\| `(\w+)` \|", (ct.ROOT / "docs" / "formats" / "others.md").read_text(), re.M)
    ct.ok(known and sorted(known[1].split("|")) == sorted(rows), "every format is described", rows)


def test_foreign():
    """Formats that are known, but not read, are refused by name, with a helpful command, and not mistaken for another format."""
    path = ct.WORK / "foreign"
    for what, content, words in FOREIGN:
        path.write_bytes(content)
        result = ct.candor("report", path)
        ct.ok(result.status == 1 and result.err.count("\n") == 1 and all(word in result.err for word in words), f"{what}: refused by name",
              result)
    trace = ct.WORK / "run.trace"
    trace.mkdir()
    result = ct.candor("report", trace)
    ct.ok(result.status == 1 and result.err.count("\n") == 1 and "Instruments" in result.err, "Instruments' folder", result)
    for what, text in NO_PROFILES:
        path.write_text(text)
        result = ct.candor("report", path)
        ct.ok(result.status == 1 and result.err.count("\n") == 1 and not result.out, f"{what}: no profile", result)
    for what, text in PROFILES:
        path.write_text(text)
        ct.ok(ct.candor("report", path).out.startswith("Read as   collapsed stacks"), f"{what}: collapsed stacks")
    path.write_text("fn=1;b 3\nevents: 4\n")
    ct.ok(ct.candor("report", "--from", "collapsed", path).status == 0, "--from has the last word")
    path.write_text("# a comment\na;b 3\n")
    result = ct.candor("report", path)
    ct.ok(result.status == 0 and result.out.startswith("Read as   collapsed stacks"),
          "of a text the report says what it was read as", result)


THREAD_DUMP = """Started on port 8080
2024-05-01 12:00:00
Full thread dump OpenJDK 64-Bit Server VM (25.402-b06 mixed mode):

"a "b" c" #12 prio=5 os_prio=0 tid=0x00007f01 nid=0x2b waiting for monitor entry [0x00007f02]
   java.lang.Thread.State: BLOCKED (on object monitor)
\tat demo.Main.two(Main.java:7)
\t- waiting to lock <0x00000000c0de> (a java.lang.Object)
\tat java.lang.Thread.run(Thread.java:750)

"GC Thread#0" os_prio=0 tid=0x00007f03 nid=0x2c runnable

"Signal Dispatcher" #4 daemon prio=9 tid=0x00007f04 nid=0x2d runnable
   java.lang.Thread.State: RUNNABLE

Found one Java-level deadlock:
"a "b" c":
  waiting to lock monitor 0x00007f05 (object 0x00000000c0de, a java.lang.Object)
Java stack information for the threads listed above:
"a "b" c":
\tat demo.Main.two(Main.java:7)

Full thread dump OpenJDK 64-Bit Server VM (21.0.5+11-LTS mixed mode):

"main" #1 [41] prio=5 tid=0x00007f06 nid=41 runnable  [0x00007f07]
   java.lang.Thread.State: RUNNABLE
\tat java.io.FileInputStream.readBytes(java.base@21.0.5/Native Method)
\tat demo.Main.main(Main.java:3)
"""


def test_thread_dumps():
    """Each thread with a Java stack counts once in each dump; stacks that the report of a deadlock repeats do not count again."""
    path = ct.WORK / "threads.txt"
    path.write_text(THREAD_DUMP)
    result = ct.candor("convert", "--to", "collapsed", path, "-")
    ct.ok(sorted(result.out.splitlines()) == ["demo.Main.main;java.io.FileInputStream.readBytes 1", "java.lang.Thread.run;demo.Main.two 1"],
          "thread dumps of JDK 8 and 21 in one file", result)
    found = json.loads(ct.candor("report", "--json", path).out)
    ids = {thread["name"]: thread["os_id"] for thread in found["threads"]}
    ct.ok(found["source"] == "threads" and ids == {'a "b" c': 0x2b, "main": 41}, "names with quotes, hexadecimal and decimal ids", found)
    ct.ok(("demo.Main.two", 7) in {(line["name"], line["line"]) for line in found["lines"]}, "lines", found["lines"])
    path.write_text(THREAD_DUMP.split('"')[0])
    result = ct.candor("report", path)
    ct.ok(result.status == 1 and "not a thread dump" in result.err and result.err.count("\n") == 1, "a dump without threads", result)


def test_perf():
    """What perf itself says about a recording: its samples, and the sum of their periods."""
    data, text = ct.WORK / "perf.data", ct.WORK / "perf.txt"
    program = "import time\nwhile time.process_time() < 0.3: pass"
    if not shutil.which("perf"):
        return ct.skip("perf script", "no perf; run script/bootstrap test")
    made = ct.run("perf", "record", "-q", "-e", "cpu-clock", "-F", "199", "-g", "-o", data, sys.executable, "-c", program)
    if made.status or not data.exists():
        return ct.skip("perf script", f"perf cannot record here: {made.err[:200]}")
    text.write_text(ct.run("perf", "script", "-i", data).out)
    theirs = ct.run("perf", "report", "-i", data, "--stdio", "-n", "--no-children").out
    found = report_json(text)
    events = int(re.search(r"Event count \(approx\.\): (\d+)", theirs).group(1))
    ct.ok(found.get("source") == "perf" and found["unit"] == "ns" and found["sampled"] > 50 * MS, "perf script's text is read", found)
    ct.ok(found["sampled"] == events, "the sum of periods is perf report's", f"{found.get('sampled')} and {events}")
    return None


def field(number, value):
    """One field of a protocol buffer: a number, or bytes."""
    def varint(n):
        return bytes([n & 127 | 128]) + varint(n >> 7) if n > 127 else bytes([n])
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def collapsed_sum(path, *options):
    result = ct.candor("convert", *options, "--to", "collapsed", path, "-")
    return sum(int(line.rsplit(" ", 1)[1]) for line in result.out.splitlines()), result


def test_values():
    """Of several values one is selected, exact to the byte, and the others are named."""
    strings = ("", "alloc_objects", "count", "alloc_space", "bytes", "inuse_objects", "inuse_space", "main.grow", "main.main")
    data = b"".join(field(1, field(1, kind) + field(2, unit)) for kind, unit in ((1, 2), (3, 4), (5, 2), (6, 4)))
    for leaf, *values in ((1, 10, 1000003, 3, 300007), (2, 5, 50021, 2, 20011), (1, 7, 70001, 0, 0)):
        data += field(2, field(1, leaf) + b"".join(field(2, v) for v in values))
    data += b"".join(field(4, field(1, i) + field(4, field(1, i))) + field(5, field(1, i) + field(2, 6 + i)) for i in (1, 2))
    path = ct.WORK / "values.pprof"
    path.write_bytes(data + b"".join(field(6, s.encode()) for s in strings))
    total, result = collapsed_sum(path)
    ct.ok(total == 320018 and result.status == 0, "the last value, in its unit, exact to the byte", result)
    ct.ok(result.err.count("\n") == 1 and "inuse_space. alloc_objects, alloc_space, inuse_objects are not used" in result.err,
          "the others are named", result)
    ct.ok(collapsed_sum(path, "--unit", "samples")[0] == 2, "rows are counted on request")
    ct.ok(collapsed_sum(path, "--kind", "alloc")[0] == 1120025, "--kind alloc chooses alloc_space")
    ct.ok(collapsed_sum(path, "--kind", "live")[0] == 320018, "--kind live chooses inuse_space")
    ct.ok(collapsed_sum(path, "--value", "alloc_objects")[0] == 22, "--value has the last word")
    found = report_json(path)
    said = [problem["text"] for problem in found.get("problems", ())]
    ct.ok(found.get("unit") == "bytes" and any("inuse_objects are not used" in text for text in said), "report says so, too", found)
    preferred = ct.WORK / "preferred.pprof"
    preferred.write_bytes(path.read_bytes() + field(14, 3))
    ct.ok(collapsed_sum(preferred)[0] == 1120025, "the file's own default")


def test_heap():
    """A profile of bytes, such as Go's: units are kept, and the file's own default value is used."""
    program = pathlib.Path(shutil.which("go") or "")
    if not program.name:
        return ct.skip("a heap profile of Go", "no go")
    source = ct.WORK / "heap.go"
    source.write_text("""package main
import ("os"; "runtime"; "runtime/pprof")
var kept [][]byte
func grow() { for i := 0; i < 64; i++ { kept = append(kept, make([]byte, 1<<20)) } }
func main() { runtime.MemProfileRate = 1; grow(); runtime.GC(); pprof.WriteHeapProfile(os.Stdout); println(len(kept)) }
""")
    made = subprocess.run(["go", "run", source], capture_output=True, env={**os.environ, "GOFLAGS": "-mod=mod"})
    if made.returncode:
        return ct.skip("a heap profile of Go", f"go run fails: {made.stderr[-200:]}")
    out = ct.WORK / "heap.pb.gz"
    out.write_bytes(made.stdout)
    found = report_json(out)
    ct.ok(found.get("unit") == "bytes" and found["value"] == "inuse_space", "unit and value", found)
    ct.ok(by_name(found["methods"])["main.grow"]["self"] >= 64 << 20, "64 MiB are found", found["methods"][:3])
    text = ct.candor("report", out).out
    ct.ok("MiB" in text and "inuse_space" in text, "and told as bytes", text)
    return None


def test_go(path):
    if not shutil.which("go"):
        return ct.skip("go tool pprof", "no go")
    top = ct.run("go", "tool", "pprof", "-top", "-nodecount=10", convert(path, "pb.gz"))
    rows = re.findall(r"^ *([\d.]+)ms +[\d.]+% +[\d.]+% +([\d.]+)ms +[\d.]+% +(.*?)$", top.out, re.M)
    found = {name: (float(flat), float(total)) for flat, total, name in rows}
    ct.ok(found.get("demo.Work.hot") == (710, 710) and found.get("demo.Work.cold") == (280, 280), "go tool pprof: flat and cum",
          top)
    ct.ok("Type: cpu" in top.out and "File: demo.Main" in top.out and not top.err.strip(), "its type and its program", top)
    tags = ct.run("go", "tool", "pprof", "-tags", convert(path, "pb.gz"))
    ct.ok("GC Thread#0" in tags.out and "STATE_" in tags.out, "threads and states are its tags", tags)
    return None


def words(*stacks):
    return b"".join(word.to_bytes(8, "little") for word in (0, 3, 0, 10000, 0, *sum(stacks, ()), 0, 1, 0))


LEGACY = (
    ("cpu", words(*((1 + i % 7, 3, 0x400 + i % 13, 0x900 + i % 5, 0xa00) for i in range(200)), (4, 3, 0x400, 0x400, 0x900))),
    ("shared", words(*((1 + i % 7, 4, 0x400 + i % 13, 0x800, 0x900 + i % 5, 0xa00) for i in range(200)), (4, 2, 0x400, 0x900))),
    ("heap_v2", b"heap profile: 3: 96 [9: 999] @ heap_v2/524288\n" + b"".join(
        b"%d: %d [%d: %d] @ 0x%x 0x901\n" % (i % 3, i % 3 * 48, i + 1, (i + 1) * 48 * (i % 7 + 1), 0x400 + i % 9) for i in range(100))),
    ("heap", b"heap profile: 3: 96 [9: 999] @ heap/1048576\n4: 8192 [9: 18432] @ 0x401 0x502\n1: 1048576 [1: 1048576] @ 0x401\n"),
    ("growth", b"heap profile: 3: 96 [3: 96] @ growthz\n1: 32 [1: 32] @ 0x401 0x502\n2: 64 [2: 64] @ 0x401\n"),
    ("contention", b"--- contentionz 1 ---\ncycles/second = 2400000000\nsampling period = 7\n3001 2 @ 0x401 0x502\n55 1 @ 0x401\n"),
    ("mutex", b"--- mutex:\ncycles/second=1000000007\nsampling period=3\n1234567 12 @ 0x401 0x502\n99 3 @ 0x601\n"),
    ("goroutine", b"goroutine profile: total 7\n4 @ 0x401 0x502\n3 @ 0x601\n"),
    ("threads", b"--- threadz 1 ---\n\n--- Thread 7f00 (name: main/41) stack: ---\n 0x401\n 0x502\n"
                b"--- Thread 7f01 (name: a/42) stack: ---\n"
                b" same as previous thread\n--- Thread 7f02 (name: b/43) stack: ---\n 0x601 0x600\n--- Memory map: ---\n"),
)


def as_pprof(path):
    """The last value for each stack of addresses, root first, in the way in which go tool pprof reads the file."""
    text = ct.run("go", "tool", "pprof", "-raw", path).out
    samples, locations = text.split("Samples:")[1].split("Locations")
    address = dict(re.findall(r"^ *(\d+): 0x([0-9a-f]+)", locations.split("Mappings")[0], re.M))
    found = {}
    for values, ids in re.findall(r"^ *([-\d ]+): ([\d ]+)$", samples, re.M):
        stack = ";".join(f"0x{address[i]}" for i in reversed(ids.split()))
        found[stack] = found.get(stack, 0) + int(values.split()[-1])
    return {stack: value for stack, value in found.items() if value}


def test_legacy():
    if not shutil.which("go"):
        return ct.skip("pprof's legacy formats", "no go")
    for name, content in LEGACY:
        path = ct.WORK / f"legacy-{name}"
        path.write_bytes(content)
        theirs = as_pprof(path)
        lines = ct.candor("convert", "--unit", "ns", "--to", "collapsed", path, "-").out.splitlines()
        ours = {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in lines}
        ct.ok(theirs and ours == theirs, f"legacy {name}: every stack and value as go tool pprof reads it", f"{ours}\n{theirs}")
    return None


PPROF_PROTO = """syntax = "proto3"; package perftools.profiles;
message Profile { repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Mapping mapping = 3;
  repeated Location location = 4; repeated Function function = 5; repeated string string_table = 6; int64 time_nanos = 9;
  int64 duration_nanos = 10; ValueType period_type = 11; int64 period = 12; repeated int64 comment = 13; int64 default_sample_type = 14; }
message ValueType { int64 type = 1; int64 unit = 2; }
message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; repeated Label label = 3; }
message Label { int64 key = 1; int64 str = 2; int64 num = 3; int64 num_unit = 4; }
message Mapping { uint64 id = 1; uint64 memory_start = 2; uint64 memory_limit = 3; uint64 file_offset = 4; int64 filename = 5;
  int64 build_id = 6; bool has_functions = 7; bool has_filenames = 8; bool has_line_numbers = 9; bool has_inline_frames = 10; }
message Location { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3; repeated Line line = 4; bool is_folded = 5; }
message Line { uint64 function_id = 1; int64 line = 2; int64 column = 3; }
message Function { int64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; int64 start_line = 5; }
"""
OTLP_PROTO = """syntax = "proto3"; package otlp;
message ProfilesData { repeated ResourceProfiles resource_profiles = 1; Dictionary dictionary = 2; }
message Dictionary { repeated Mapping mapping_table = 1; repeated Location location_table = 2; repeated Function function_table = 3;
  repeated Link link_table = 4; repeated string string_table = 5; repeated KeyValueAndUnit attribute_table = 6;
  repeated Stack stack_table = 7; }
message ResourceProfiles { Resource resource = 1; repeated ScopeProfiles scope_profiles = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
message ScopeProfiles { Scope scope = 1; repeated Profile profiles = 2; string schema_url = 3; }
message Scope { string name = 1; string version = 2; }
message Profile { ValueType sample_type = 1; repeated Sample samples = 2; fixed64 time_unix_nano = 3; uint64 duration_nano = 4;
  ValueType period_type = 5; int64 period = 6; bytes profile_id = 7; }
message ValueType { int32 type_strindex = 1; int32 unit_strindex = 2; }
message Link { bytes trace_id = 1; bytes span_id = 2; }
message Sample { int32 stack_index = 1; repeated int32 attribute_indices = 2; int32 link_index = 3; repeated int64 values = 4;
  repeated fixed64 timestamps_unix_nano = 5; }
message Mapping { uint64 memory_start = 1; uint64 memory_limit = 2; uint64 file_offset = 3; int32 filename_strindex = 4; }
message Stack { repeated int32 location_indices = 1; }
message Location { int32 mapping_index = 1; uint64 address = 2; repeated Line lines = 3; repeated int32 attribute_indices = 4; }
message Line { int32 function_index = 1; int64 line = 2; int64 column = 3; }
message Function { int32 name_strindex = 1; int32 system_name_strindex = 2; int32 filename_strindex = 3; int64 start_line = 4; }
message KeyValueAndUnit { int32 key_strindex = 1; AnyValue value = 2; int32 unit_strindex = 3; }
"""


def decode(proto, message, data):
    """The text that protoc makes of a message; fields that the schema does not know would appear in it as numbers."""
    schema = ct.WORK / "schema.proto"
    schema.write_text(proto)
    done = subprocess.run(["protoc", f"--proto_path={ct.WORK}", f"--decode={message}", schema], input=data, capture_output=True)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode()


def test_protoc(path):
    if not shutil.which("protoc"):
        return ct.skip("protoc --decode", "no protoc; run script/bootstrap test")
    for extension, proto, message in (("pb.gz", PPROF_PROTO, "perftools.profiles.Profile"), ("otlp", OTLP_PROTO, "otlp.ProfilesData")):
        data = convert(path, extension).read_bytes()
        status, text, err = decode(proto, message, gzip.decompress(data) if extension == "pb.gz" else data)
        unknown = re.findall(r"^ *\d+[:\s{].*", text, re.M)
        ct.ok(status == 0 and not unknown, f".{extension}: every field is one of the schema's", unknown or err)
        values = [int(v) for v in re.findall(r"^ *values?: (\d+)$", text, re.M)]
        ct.ok(sum(v for v in values if v >= 1000) == 1000 * MS, f".{extension}: the values add up to the second that was sampled", values)
        ct.ok("demo.Work.hot" in text and "Thread#0" in text, f".{extension}: names")
    return None


def breaches(schema, value, root):
    """What in a value violates a JSON schema, as far as speedscope's schema uses the language."""
    if "$ref" in schema:
        return breaches(root["definitions"][schema["$ref"].rsplit("/", 1)[1]], value, root)
    if "anyOf" in schema:
        found = [breaches(one, value, root) for one in schema["anyOf"]]
        return [] if [] in found else found[0]
    kinds = {"object": dict, "array": list, "string": str, "number": (int, float)}
    if "type" in schema and not isinstance(value, kinds[schema["type"]]):
        return [f"{str(value)[:60]} is no {schema['type']}"]
    if value != schema.get("const", value) or value not in schema.get("enum", [value]):
        return [f"{str(value)[:60]} is not allowed"]
    found = []
    if isinstance(value, dict):
        found += [f"no {key}" for key in schema.get("required", ()) if key not in value]
        for key, inner in schema.get("properties", {}).items():
            found += breaches(inner, value[key], root) if key in value else []
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for inner in value:
            found += breaches(schema["items"], inner, root)
    return found


def test_speedscope(path):
    """The schema of speedscope's files comes with its npm package; tests/browser/test_speedscope.py runs its importer."""
    data = json.loads(convert(path, "speedscope.json").read_text())
    weights = sum(sum(p["weights"]) for p in data["profiles"])
    ct.ok(weights == 1000 * MS and all(len(p["samples"]) == len(p["weights"]) for p in data["profiles"]), "the weights of all threads")
    if not shutil.which("npm"):
        return ct.skip("speedscope's schema", "no npm")
    room = pathlib.Path.home() / ".cache" / "candor" / "npm-speedscope"
    schema = room / "node_modules" / "speedscope" / "dist" / "release" / "file-format-schema.json"
    if not schema.exists():
        room.mkdir(parents=True, exist_ok=True)
        ct.run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", room, "speedscope@1")
    if not schema.exists():
        return ct.skip("speedscope's schema", "npm cannot install speedscope here")
    schema = json.loads(schema.read_text())
    found = breaches({"$ref": "#/definitions/FileFormat.File"}, data, schema)
    ct.ok(not found, "the file is as speedscope's schema wants it", found)
    ct.ok(breaches({"$ref": "#/definitions/FileFormat.File"}, {**data, "profiles": [{}]}, schema), "which refuses what is not")
    return None


def test_csv(path):
    with convert(path, "csv").open(newline="") as f:
        rows = list(csv.DictReader(f))
    ct.ok(len(rows) == 101 and sum(int(r["ns"]) for r in rows) == 1000 * MS, "a line for each sample", rows[:2])
    ct.ok(sum(int(r["ns"]) for r in rows if r["method"] == "demo.Work.hot") == 710 * MS and
          rows[0]["stack"] == "java.lang.Thread.run;demo.Work.run;demo.Work.hot", "with the stack", rows[0])


def test_merge(path):
    other = make("other.jfr", example())
    both, one = report_json(path, other), report_json(path)
    ct.ok(both.get("sampled") == 2 * one["sampled"] and both["samples"] == 2 * one["samples"], "two recordings add up", both)
    ct.ok(both["books"]["cpu_ns"] == 2 * one["books"]["cpu_ns"] and both["books"]["lost_ns"]["queue_full"] == 40 * MS, "so do books")
    ct.ok(shares(both) == {k: (2 * a, 2 * b) for k, (a, b) in shares(one).items()}, "and methods")
    out = ct.WORK / "both.pb.gz"
    ct.ok(ct.candor("convert", path, other, out).status == 0 and report_json(out).get("sampled") == both["sampled"], "in a file")
    mixed = ct.candor("report", path, convert(path, "collapsed"))
    ct.ok(mixed.status == 1 and "cannot be added up" in mixed.err, "nanoseconds and samples do not", mixed)


def main():
    path = make("example.jfr", example())
    test_round_trips(path)
    test_from(path)
    test_no_place(path)
    test_csv(path)
    test_merge(path)
    test_go(path)
    test_documented()
    test_foreign()
    test_thread_dumps()
    test_perf()
    test_values()
    test_legacy()
    test_heap()
    test_protoc(path)
    test_speedscope(path)
    ct.done()


main()
