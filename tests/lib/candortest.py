"""Shared by the script tests: TAP, JDKs, compiled Java programs, JVMs with the agent, recordings, statistical bounds.

A test reads as

    import candortest as ct
    for jdk in ct.jdks():
        with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=out, interval="1ms")) as jvm:
            truth = jvm.round(seconds=5)
        ct.ok(..., "...")
    ct.done()

To record a part of the program, call jvm.start(path, event="lock"), run rounds, then jvm.stop(); Recording(path) reads the file in
both cases.

Java programs are in tests/java and talk to the driver as Rounds.java describes: "ready", then for each line "go ..." one line "done
key=value ...". Every process started here ends with the test, however the test ends.

Environment: CANDOR_BUILD (build directory), CANDOR_JDKS (default ~/.cache/candor/jdks), CANDOR_TIER (quick, default, full, all; full
without the runner), CANDOR_TURN (a number that chooses the only JDK), CANDOR_HALF (a number that chooses half of the JDKs and of the
cases).
"""
import atexit
import ctypes
import fcntl
import hashlib
import json
import math
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import jfrfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CANDOR_BUILD", ROOT / "build")).resolve()
JDKS = pathlib.Path(os.environ.get("CANDOR_JDKS") or pathlib.Path(
    os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "candor" / "jdks")
TIER = os.environ.get("CANDOR_TIER", "full")
TURN = int(os.environ["CANDOR_TURN"]) if "CANDOR_TURN" in os.environ else None
HALF = int(os.environ["CANDOR_HALF"]) if "CANDOR_HALF" in os.environ else None
SANITIZED = bool(os.environ.get("CANDOR_SANITIZED"))  # then no agent can be loaded into a JVM: the sanitizer would have to be loaded first
AGENT = BUILD / "libcandor.so"
SABOTAGED_AGENT = BUILD / "tests" / "truth" / "libcandor-sabotage.so"
PROGRAM = BUILD / "candor"
JAVA_SOURCES = ROOT / "tests" / "java"

# A process that does not answer for this long hangs. It is long, because the machine may be busy with other work.
PATIENCE = 300


# -- TAP -----------------------------------------------------------------------------------------------------------

_count = _failed = 0


def ok(condition, text, detail=None):
    """Prints one result and returns it as a bool; if it is false, the detail is printed as a diagnostic."""
    global _count, _failed
    _count += 1
    print(f"{'ok' if condition else 'not ok'} {_count} - {text}", flush=True)
    if not condition:
        _failed += 1
        for line in str(detail if detail is not None else "").splitlines()[:100]:
            print(f"#   {line[:300]}", flush=True)
    return bool(condition)


def skip(text, why):
    global _count
    _count += 1
    print(f"ok {_count} - {text} # SKIP {why}", flush=True)


def note(text):
    print(f"# {text}", flush=True)


def done():
    """Prints the plan and ends the test, with status 0 if every result was good."""
    print(f"1..{_count}", flush=True)
    sys.exit(1 if _failed else 0)


# -- work directory --------------------------------------------------------------------------------------------------

def _make_work_directory():
    path = pathlib.Path(tempfile.mkdtemp(prefix="candor-test-"))
    path.chmod(0o755)
    if not os.environ.get("CANDOR_KEEP"):
        atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


WORK = _make_work_directory()  # emptied at the end, unless CANDOR_KEEP is set


# -- JDKs and programs -----------------------------------------------------------------------------------------------

class Jdk:
    def __init__(self, version, home):
        self.version, self.home = version, home
        self.java, self.javac, self.jfr, self.jcmd = (home / "bin" / name for name in ("java", "javac", "jfr", "jcmd"))
        self.libjvm = next(home.glob("**/server/libjvm.so"), home / "lib" / "server" / "libjvm.so")

    def __str__(self):
        return f"JDK {self.version}"

    def is_named(self, text):
        """Whether the full version of a JVM belongs to this JDK; JDK 8 calls itself 1.8."""
        return bool(re.match(r"(1\.)?8\b" if self.version == 8 else rf"{self.version}\b", text))


def jdk(version):
    """The JDK of this version, or None if it is not installed."""
    home = JDKS / str(version)
    return Jdk(version, home) if os.access(home / "bin" / "java", os.X_OK) else None


def async_profiler():
    """Its library, or None after a skip that says how to get it."""
    peers = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "candor" / "peers"
    library = next(peers.glob("async-profiler-*/libasyncProfiler.so"), None)
    if not library:
        skip("async-profiler", "not fetched; run bench/fetch_peers.sh")
    return library


VERSIONS = (8, 11, 17, 21, 25, 27)


def jdks(unless=None):
    """The cached JDKs of VERSIONS; each missing one is reported as a skip. unless: {version: why the test, or a part of it, does not run
    there}, which is a skip, too. In a tier with one JDK: the newer one of these whose turn it is. In a heavy test of tier full: every
    second of these."""
    found = []
    for version in VERSIONS:
        one = jdk(version)
        if unless and version in unless:
            skip(f"JDK {version}", unless[version])
        elif one:
            found.append(one)
        else:
            skip(f"JDK {version}", "not cached; run script/jdks")
    if TURN is None or not found:
        return found if HALF is None else every_second(found, HALF)
    newer = [one for one in found if one.version >= 21] or found[-1:]  # they have everything that a test may want to try
    return [newer[TURN % len(newer)]]


def as_nobody(*capabilities):
    """For root: a command prefix that runs a command as user nobody with these capabilities, and with the one to read the JDKs and the
    build wherever they are."""
    names = ",".join(f"+{name}" for name in ("dac_read_search", *capabilities))
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", f"--inh-caps={names}", f"--ambient-caps={names}",
            f"--bounding-set=-all,{names}"]


def paranoia():
    """kernel.perf_event_paranoid; None if it cannot be read."""
    try:
        return int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    except OSError:
        return None


# For programs that other users run with the capability to read everything.
CLOSED_FOLDER = "its launcher asks what the user may reach without capabilities; set CANDOR_JDKS to an open folder"


def in_closed_folder(jdk):
    return jdk.version == 8 and any(not parent.stat().st_mode & 1 for parent in jdk.home.resolve().parents)


def every_second(things, turn):
    return list(things)[turn % 2::2] if len(things) > 1 else list(things)


def by_turns(cases, turns=3):
    """A third of these cases (with turns=N one in N) in the tiers quick and default; the others run after every JDK has had its turn. In
    a heavy test of tier full half of them; the other half runs after both halves of the JDKs have had theirs. Otherwise all of them."""
    if HALF is not None:
        return every_second(cases, HALF // 2)
    if TIER not in ("quick", "default") or TURN is None:
        return cases
    count = -(-len(cases) // turns)
    return [cases[(TURN // 3 * count + i) % len(cases)] for i in range(count)]


def spread(jdks, cases, each=1, turns=3):
    """[(JDK, case)]: every combination in tier all. In other tiers every JDK has at least `each` of the cases, and every case that
    by_turns returns has at least one JDK."""
    if TIER == "all" or not jdks:
        return [(one, case) for one in jdks for case in cases]
    cases = by_turns(cases, turns)
    period = math.lcm(len(jdks), len(cases))
    return [(jdks[i % len(jdks)], cases[(i + i // period) % len(cases)])
            for i in range(max(each * len(jdks), len(cases)))]


def some(jdks, *versions):
    """Of these JDKs the given versions, for properties that need not be tested on each JDK. In tier all it returns all of them, in a
    tier with one JDK that one. If only half of the JDKs have their turn and none of these versions is among them, it returns the
    newest."""
    if TIER == "all" or TURN is not None:
        return jdks
    return [one for one in jdks if one.version in versions] or (jdks[-1:] if HALF is not None else [])


def compiler():
    """A JDK that compiles for all others."""
    return next(one for one in map(jdk, (17, 21, 11)) if one)


def need(*paths):
    """Ends the test as skipped, with the name, if a built file is missing."""
    for path in paths or (AGENT, PROGRAM):
        if not pathlib.Path(path).exists():
            skip(pathlib.Path(path).name, f"{path} is not built")
            done()


def classes(jdk):
    """The directory of tests/java compiled for this JDK: made once per state of the sources, and shared by all tests. For JDK 11 and
    later the compiler uses features that JDK 8 lacks: string concatenation by invokedynamic, nest mates."""
    release = "8" if jdk.version < 11 else "11"
    sources = sorted(JAVA_SOURCES.glob("*.java"))
    key = hashlib.sha256(b"".join(source.name.encode() + source.read_bytes() for source in sources)).hexdigest()[:16]
    cache = BUILD / "test-classes"
    target = cache / f"{key}-{release}"
    if target.is_dir():
        return target
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.is_dir():
            half = pathlib.Path(tempfile.mkdtemp(dir=cache))
            half.chmod(0o755)
            subprocess.run([compiler().javac, "--release", release, "-nowarn", "-Xlint:-options", "-d", half, *sources], check=True)
            half.rename(target)
    return target


def own_classes(jdk, *sources, jars=()):
    """A directory of these sources compiled by the JDK itself: for sources that use its jdk.jfr, which `--release` does not include."""
    target = WORK / f"classes-{jdk.version}"
    if not target.exists():
        target.mkdir()
        subprocess.run([jdk.javac, "-encoding", "UTF-8", "-nowarn", *(["-cp", ":".join(map(str, jars))] if jars else []), "-d", target,
                        *sources], check=True)
    return target


# -- processes -------------------------------------------------------------------------------------------------------

_libc = ctypes.CDLL(None)
_alive = set()


def _die_with_parent():
    _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    # Python ignores SIGPIPE; a child must start with the signal actions that a shell would give it.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def _kill_all():
    for process in list(_alive):
        if process.poll() is None:
            process.kill()
            process.wait()


atexit.register(_kill_all)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def spawn(command, **keywords):
    """subprocess.Popen whose child cannot outlive the test."""
    process = subprocess.Popen([str(part) for part in command], preexec_fn=_die_with_parent, **keywords)
    _alive.add(process)
    return process


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __str__(self):
        return f"status {self.status}\n{self.out[-2000:]}\n{self.err[-2000:]}"


def run(*command, timeout=PATIENCE, **keywords):
    """Runs a command to its end; status is -9 if it hung for `timeout` seconds."""
    process = spawn(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                    errors="replace", **keywords)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
    _alive.discard(process)
    return Result(process.returncode, out, err)


def remove_left(*paths):
    """Removes what a process has left, or may have left; files of other users stay."""
    for path in paths:
        try:
            os.unlink(path)
        except OSError:
            pass


class Script:
    """A Python program that plays a JVM's part, and has said that it is ready. Files that such a process leaves in /tmp are removed with
    it."""

    def __init__(self, path, *arguments, **keywords):
        self.process = spawn([sys.executable, path, *arguments], stdout=subprocess.PIPE, text=True, **keywords)
        self.pid = self.process.pid
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(f"{path} does not begin")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        _alive.discard(self.process)
        for stream in filter(None, (self.process.stdin, self.process.stdout)):
            stream.close()
        remove_left(f"/tmp/.candor-{self.pid}", f"/tmp/.java_pid{self.pid}")

    def said(self):
        """Everything that it has printed since; ends the process."""
        self.process.kill()
        return self.process.stdout.read()


def candor(*arguments, **keywords):
    return run(PROGRAM, *arguments, **keywords)


def escape(value):
    return "".join(f"%{ord(c):02X}" if c in "%,\n\0" else c for c in str(value))


def agent_options(library=None, **options):
    """The -agentpath argument of a JVM that loads the agent at start: agent_options(file=out, interval="1ms")."""
    text = ",".join(f"{key}={escape(value)}" for key, value in options.items())
    return f"-agentpath:{library or AGENT}" + (f"={text}" if text else "")


class Jvm:
    """A JVM that runs a program of tests/java (or anything else, with java_arguments instead of the program)."""

    def __init__(self, jdk, program, *arguments, agent=None, flags=(), wrapper=(), **keywords):
        self.jdk = jdk
        command = [*wrapper, jdk.java, *flags, *([agent] if agent else []), "-cp", classes(jdk), program, *arguments]
        self.command = [str(part) for part in command]
        self.directory = pathlib.Path(keywords.setdefault("cwd", WORK))
        self.process = spawn(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **keywords)
        self.pid = self.process.pid
        remove_left(f"/tmp/.java_pid{self.pid}")  # of an earlier JVM with this pid; its own comes with a client
        self.out, self.err = [], []
        self._news = threading.Condition()
        self._readers = [threading.Thread(target=self._read, args=stream, daemon=True)
                         for stream in ((self.process.stdout, self.out), (self.process.stderr, self.err))]
        for reader in self._readers:
            reader.start()
        self._position = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def _read(self, stream, lines):
        for line in stream:
            with self._news:
                lines.append(line.decode("utf-8", "replace").rstrip("\n"))
                self._news.notify_all()
        with self._news:
            self._news.notify_all()

    def expect(self, prefix, timeout=PATIENCE):
        """The next line of standard output that starts with this; earlier lines are skipped. RuntimeError if none comes."""
        deadline = time.monotonic() + timeout
        with self._news:
            while True:
                while self._position < len(self.out):
                    line = self.out[self._position]
                    self._position += 1
                    if line.startswith(prefix):
                        return line
                if not self._readers[0].is_alive() or time.monotonic() > deadline:
                    raise RuntimeError(f"no '{prefix}' from {' '.join(self.command)[:400]}\n{self.transcript()}")
                self._news.wait(0.2)

    def say(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def round(self, *words, **options):
        """One round of work (Rounds.java): sends "go words key=value", returns the keys of the answer; numbers as
        int."""
        self.say(" ".join(["go", *map(str, words), *(f"{key}={value}" for key, value in options.items())]))
        answer = self.expect("done", timeout=PATIENCE + 10 * float(options.get("seconds", 0)))
        pairs = (word.split("=", 1) for word in answer.split()[1:])
        return {key: int(value) if value.lstrip("-").isdigit() else value for key, value in pairs}

    def finish(self, timeout=PATIENCE):
        """Closes standard input, which ends the program, and returns the exit status (-9 if it had to be killed)."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        return self.wait(timeout)

    def wait(self, timeout=PATIENCE):
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        for reader in self._readers:
            reader.join(10)
        _alive.discard(self.process)
        return status

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        # Files of a JVM that was killed; those of another user could not be replaced.
        remove_left(f"/tmp/.candor-{self.pid}", f"/tmp/.java_pid{self.pid}")
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except OSError:
                pass

    def transcript(self):
        lines = [f"out: {line}" for line in self.out[-20:]] + [f"err: {line}" for line in self.err[-20:]]
        crash = self.directory / f"hs_err_pid{self.pid}.log"
        if crash.exists():
            lines += crash.read_text(errors="replace").splitlines()[:40]
        return "\n".join([*lines, f"exit status {self.process.poll()}"])

    def cpu_ns(self):
        """CPU time of the whole process, exited threads included, by the process CPU clock."""
        return time.clock_gettime_ns((~self.pid << 3) | 2)

    def threads(self):
        return {int(tid) for tid in os.listdir(f"/proc/{self.pid}/task")}

    def fds(self):
        return {fd: _readlink(f"/proc/{self.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{self.pid}/fd")}

    def status(self, *names):
        """Fields of /proc/PID/status by name, as text."""
        with open(f"/proc/{self.pid}/status") as file:
            fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        return [fields.get(name, "").strip() for name in names]

    def control(self, command, **options):
        return control(self.pid, command, **options)

    def ask(self, command, **options):
        """The answer to a request that must succeed; otherwise RuntimeError with the reason."""
        good, answer = self.control(command, **options)
        if not good:
            raise RuntimeError(f"{self.jdk}, {command}: {answer}")
        return answer

    def start(self, path, **options):
        """Starts a recording, of the event cpu unless the options say another one; RuntimeError if it is refused. Returns the answer."""
        return self.ask("start", file=path, **options)

    def dump(self, path, **options):
        """Copies the recording as it is now; returns the answer."""
        return self.ask("dump", file=path, **options)

    def stop(self):
        """Ends the recording; returns the answer, also if the file could not be written completely."""
        answer = self.ask("stop")
        if "error" in answer:
            raise RuntimeError(f"{self.jdk}, stop: {answer}")
        return answer


def _readlink(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


def control(pid, command, timeout=PATIENCE, **options):
    """One request over the control socket (docs/formats/control.md): (True, {key: value}) or (False, error text)."""
    request = command + ("" if not options else " " + ",".join(f"{k}={escape(v)}" for k, v in options.items())) + "\n"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
        channel.settimeout(timeout)
        channel.connect(f"/tmp/.candor-{pid}")
        channel.sendall(request.encode())
        answer = b""
        while True:
            try:
                part = channel.recv(65536)
            except ConnectionResetError:  # it answered and closed the connection without reading all of a request that is too long
                break
            if not part:
                break
            answer += part
    first, *rest = answer.decode("utf-8", "replace").splitlines() or [""]
    if first != "ok":
        return False, first.removeprefix("error ")
    return True, {key: urllib.parse.unquote(value) for key, value in (line.split("=", 1) for line in rest if line)}


def attach(jvm, file, interval="1ms", *arguments, **keywords):
    """Attaches to a running JVM and starts a recording, with the program."""
    return candor("start", "-i", interval, "-o", file, *arguments, jvm.pid, **keywords)


def wait_until(condition, timeout=PATIENCE):
    """Polls until condition() is true; returns its last value."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    return condition()


# -- recordings ------------------------------------------------------------------------------------------------------

class Sample:
    """One candor.CpuSample. frames: [(method, frame type, line)], leaf first, method as pkg.Class.method. of_java: its thread is a Java
    thread; the JIT's and the GC's threads are not."""
    __slots__ = ("start", "thread", "tid", "of_java", "weight", "outcome", "state", "pc", "frames", "cut", "window", "chance")

    def __init__(self, event):
        thread = event.get("eventThread") or {}
        self.start, self.weight = event["startTime"], event["weight"]
        self.thread, self.tid = thread.get("javaName") or thread.get("osName"), thread.get("osThreadId")
        self.of_java = bool(thread.get("javaName"))
        self.outcome, self.state, self.pc = event["outcome"], event["state"], event["pc"]
        self.window = event.get("window", 0)
        self.chance = event.get("chance", 0)
        stack = event.get("stackTrace") or {"frames": [], "truncated": False}
        self.frames = [frame_of(frame) for frame in stack["frames"]]
        self.cut = stack["truncated"]

    @property
    def has_java(self):
        return any(kind in JAVA_FRAMES for _, kind, _ in self.frames)

    @property
    def leaf(self):
        """The innermost Java method, below any stub, native and kernel frames. None if there is none."""
        return next((name for name, kind, _ in self.frames if kind in JAVA_FRAMES), None)


APPROXIMATE_FRAMES = {"C1 compiled (approximate)", "JIT compiled (approximate)", "Inlined (approximate)"}
JAVA_FRAMES = {"Interpreted", "C1 compiled", "JIT compiled", "Inlined"} | APPROXIMATE_FRAMES
WALKED = {"complete", "truncated"}


def frame_of(frame):
    method = frame["method"] or {}
    owner = (method.get("type") or {}).get("name") or ""
    kind = _marked(_description(frame["type"]), frame["bytecodeIndex"])
    return (f"{_text(owner)}.{_text(method.get('name'))}".replace("/", "."), kind, frame["lineNumber"])


def _marked(kind, bci):
    """The type of a frame whose bytecodeIndex has marks above its 16 bits."""
    return {1: f"{kind} (approximate)", 2: "Failed", 3: "Pseudo"}.get(max(bci, 0) >> 16, kind)


def _text(value):
    return value["string"] if isinstance(value, dict) else value or ""


def _description(value):
    return value["description"] if isinstance(value, dict) else value


class Recording:
    """A recording as the tests' strict reader sees it. A subclass takes its own events into `all` (take)."""

    def __init__(self, path):
        self.path, self.all = path, []
        self.samples, self.executions, self.books, self.thread_cpu, self.settings, self.log = [], [], {}, {}, {}, []
        self.counts = {}
        for event in jfrfile.events(path):
            kind = event["@type"]
            self.counts[kind] = self.counts.get(kind, 0) + 1
            self.take(kind, event)

    def take(self, kind, event):
        if kind == "candor.CpuSample":
            self.samples.append(Sample(event))
        elif kind == "jdk.ExecutionSample":
            self.executions.append(event)
        elif kind == "candor.BookLine":
            self.books[(event["account"], event["reason"] or "")] = (event["time"], event["count"])
        elif kind == "candor.ThreadCpu":
            thread = event["eventThread"]
            # A thread that has left Java may continue under the same id as a native thread, with separate books.
            name = thread.get("javaName") or thread["osName"]
            self.thread_cpu[thread["osThreadId"], thread.get("javaThreadId")] = name, event["cpu"], event["samples"]
        elif kind == "candor.Setting":
            self.settings[event["name"]] = event["value"]
        elif kind == "candor.Log":
            self.log.append((event["level"], event["message"]))

    def sum(self, *accounts):
        """The sum of the time in these accounts, for all reasons."""
        return sum(ns for (account, _), (ns, _) in self.books.items() if account in accounts)

    def of_thread(self, name):
        return [sample for sample in self.samples if sample.thread == name]

    def last_sample_ns(self):
        return max((sample.start for sample in self.samples), default=0)


def report(path):
    """`candor report --json`, parsed; RuntimeError with its messages if it fails."""
    result = candor("report", "--json", path)
    if result.status != 0:
        raise RuntimeError(f"candor report {path}: {result}")
    return json.loads(result.out)


def accounts_ns(books):
    """The sum of the disjoint accounts, residual included: equal to cpu_ns if the books balance."""
    parts = [books["complete_ns"], books["truncated_ns"], books["residual_ns"]]
    for group in ("failed_ns", "lost_ns", "unseen_ns"):
        parts += books[group].values()
    return sum(parts)


def identity_closes(books, what):
    """cpu = complete + truncated + failed + lost + unseen + residual, to the nanosecond."""
    return ok(accounts_ns(books) == books["cpu_ns"], f"{what}: the books close to the nanosecond",
              f"cpu {books['cpu_ns']} accounts {accounts_ns(books)}\n{json.dumps(books)}")


def residual_share(books):
    return books["residual_ns"] / books["cpu_ns"] if books["cpu_ns"] else 0.0


def residual_within(books, share, what):
    found = residual_share(books)
    return ok(abs(found) <= share, f"{what}: |residual| {100 * abs(found):.2f} % of the CPU, bound {100 * share:g} %",
              json.dumps(books, indent=1))


def walkers_agree(report, least, what, misled=0, may_differ=0.02, may_end=0.15):
    """A recording made with walker=compare: at least this many samples in which both walkers found Java frames, and the bounds of
    test_walker.py for the comparison. misled: additional samples in which AsyncGetCallTrace may be wrong; may_differ: the share of
    the others; may_end: the share in which AsyncGetCallTrace may end before us."""
    verdicts = {name: int(report["settings"].get(f"walker_{name}", 0))
                for name in ("identical", "inlined", "shorter", "longer", "different", "only_walker", "only_agct", "neither")}
    both = sum(verdicts[name] for name in ("identical", "inlined", "shorter", "longer", "different"))
    wrong = verdicts["inlined"] + verdicts["shorter"] + verdicts["different"]
    note(f"{what}: {verdicts}")
    ok(both >= least, f"{what}: both walkers found Java frames in {both} samples")
    ok(wrong <= may_differ * both + misled, f"{what}: {wrong} of {both} frame lists differ, bound {100 * may_differ:g} %"
       + (f" and {misled} where AsyncGetCallTrace may be misled" if misled else ""), verdicts)
    ok(verdicts["shorter"] <= 0.002 * both, f"{what}: we ended before AsyncGetCallTrace in {verdicts['shorter']}")
    ok(verdicts["longer"] <= may_end * both, f"{what}: AsyncGetCallTrace ended before us in {verdicts['longer']}")
    ok(verdicts["only_agct"] <= 0.005 * both, f"{what}: only AsyncGetCallTrace found frames: {verdicts['only_agct']}")
    ok(verdicts["only_walker"] >= verdicts["only_agct"], f"{what}: only we found frames: {verdicts['only_walker']}")


# -- statistics ------------------------------------------------------------------------------------------------------

STANDARD_ERRORS = 5  # two-sided false alarm of one comparison: 5.7e-7


def at_most(mean):
    """The bound for a count of rare events: its mean and five standard errors."""
    return mean + STANDARD_ERRORS * math.sqrt(mean)


def effective_size(weights):
    """Kish's effective sample size: the number of equal weights that would carry as much information."""
    squares = sum(weight * weight for weight in weights)
    return sum(weights) ** 2 / squares if squares else 0.0


def standard_error(share, size):
    """The standard error of a share estimated from `size` independent samples (binomial). A clock that samples at nearly even distances
    does better than independent draws, so this is rather too wide."""
    return math.sqrt(share * (1 - share) / size) if size else math.inf


def share_agrees(found, truth, size, what, slack=0.0):
    """Within 5 standard errors of the true value (plus slack, if the true value itself is known only approximately)."""
    bound = STANDARD_ERRORS * standard_error(truth, size) + slack
    return ok(abs(found - truth) <= bound,
              f"{what}: share {found:.4f}, truth {truth:.4f}, bound {bound:.4f} (5 standard errors, n_eff {size:.0f})")


def weights_add_up(recording, share, allowed, what):
    """The weights equal the threads' CPU time. For a user who may not sample the kernel, the time in the kernel is missing; the books
    show it as unseen(kernel)."""
    kernel = recording.settings.get("kernel") == "included"
    return ok((1 - allowed if kernel else 0.5) < share < 1 + allowed,
              f"{what}: the weights are {share:.4f} of the threads' CPU time, {100 * allowed:g} % allowed"
              + ("" if kernel else ", but for the kernel's part"))


def rate_below(bad, total, bound, what, detail=None):
    """bad / total < bound, with a total that is large enough to mean something: if bound * total >= 20, a true rate of bound / 4 fails
    with probability < 1e-6 (Poisson of mean 5 reaching 20)."""
    rate = bad / total if total else 1.0
    return ok(total * bound >= 20 and rate < bound, f"{what}: {bad} of {total} ({100 * rate:.2f} %), "
              f"bound {100 * bound:g} %", detail)
