"""The profilers that are compared, each started and stopped in a running JVM: start(jvm, path), stop(jvm, path), and the number of
samples in path afterwards."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
import candortest as ct


def jcmd(jvm, *command):
    result = ct.run(jvm.jdk.jcmd, jvm.pid, *command)
    if result.status or "Exception" in result.out or "failed" in result.out.lower():
        raise RuntimeError(f"jcmd {' '.join(map(str, command))}: {result.out} {result.err}")


def ask(jvm, command, *arguments):
    """A request of the JVM's attach protocol, as native clients make it, so that no tool has to start a JVM. Returns the answer."""
    path, trigger = (pathlib.Path(f"/tmp/.{name}_pid{jvm.pid}") for name in ("java", "attach"))
    if not path.exists():
        trigger.touch()
        os.kill(jvm.pid, signal.SIGQUIT)
        while not path.exists():
            time.sleep(0.002)
        trigger.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(str(path))
        channel.sendall("".join(f"{word}\0" for word in ("1", command, *arguments, *[""] * (3 - len(arguments)))).encode())
        status, _, answer = channel.makefile().read().partition("\n")
    if status != "0":
        raise RuntimeError(f"{command} {arguments}: {status} {answer}")
    return answer


def process_cpu_ns(pid):
    """For all its threads, including those that have ended."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def agent_cpu_ns(pid):
    """For the thread of Candor's agent."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().strip() == "candor":
            return int((task / "schedstat").read_text().split()[0])
    raise RuntimeError(f"the agent has no thread in process {pid}")


class Nothing:
    """Shows the differences that chance makes."""

    def __init__(self, name="none"):
        self.name = name

    def start(self, jvm, path):
        pass

    def stop(self, jvm, path):
        pass


def per_unit(*truths):
    return sum(truth["cpu_ns"] for truth in truths) / sum(truth["units"] for truth in truths)


def with_tool(jvm, tool, path, **round_options):
    tool.start(jvm, path)
    truth = jvm.round(**round_options)
    tool.stop(jvm, path)
    return truth


def cost_of(jvm, tool, path, **work):
    """A B B A: (how much longer the work takes with the tool, nanoseconds per sample or None, samples)."""
    first, samples, withs = jvm.round(**work), 0, []
    for _ in range(2):
        withs.append(with_tool(jvm, tool, path, **work))
        samples += tool.count(path)[0] if hasattr(tool, "count") else 0
    without = per_unit(first, jvm.round(**work))
    taken = (per_unit(*withs) - without) * sum(truth["units"] for truth in withs)
    return per_unit(*withs) / without - 1, taken / samples if samples else None, samples


class Candor:
    def __init__(self, clock, interval_us):
        self.name, self.clock, self.interval = f"candor {clock}", clock, f"{interval_us}us"

    def start(self, jvm, path):
        result = ct.attach(jvm, path, self.interval, "--clock", self.clock)
        if result.status:
            raise RuntimeError(str(result))

    def stop(self, jvm, path):
        ct.candor("stop", jvm.pid)

    @staticmethod
    def count(path):
        report = ct.report(path)
        return report["samples"], sum(report["books"]["lost"].values())


class AsyncProfiler:
    def __init__(self, event, interval_us):
        self.name, self.event, self.interval = f"async-profiler {event}", event, f"{interval_us}us"
        folder = subprocess.run([ROOT / "bench" / "fetch_peers.sh"], check=True, capture_output=True, text=True).stdout.strip()
        self.library = f"{folder}/libasyncProfiler.so"

    def load(self, jvm, options):
        answer = ask(jvm, "load", self.library, "true", options)
        if answer.strip() != "return code: 0":
            raise RuntimeError(f"async-profiler {options}: {answer}")

    def start(self, jvm, path):
        path.unlink(missing_ok=True)
        self.load(jvm, f"start,event={self.event},interval={self.interval},jfr,file={path}")

    def stop(self, jvm, path):
        self.load(jvm, f"stop,file={path}")

    @staticmethod
    def count(path):
        return ct.report(path)["execution_samples"], 0


class FlightRecorder:
    """cpu: the sampler of JDK 25 by CPU time, whose interval is set by `throttle`; otherwise the execution sampler."""

    def __init__(self, cpu, interval_us):
        self.name = "JFR CPU time" if cpu else "JFR execution"
        milliseconds = max(interval_us // 1000, 1)
        self.settings = [f"jdk.CPUTimeSample#enabled={str(cpu).lower()}", f"jdk.CPUTimeSample#throttle={milliseconds}ms",
                         f"jdk.ExecutionSample#enabled={str(not cpu).lower()}", f"jdk.ExecutionSample#period={max(milliseconds, 10)}ms"]
        self.event = "jdk.CPUTimeSample" if cpu else "jdk.ExecutionSample"

    def start(self, jvm, path):
        jcmd(jvm, "JFR.start", "name=bench", *self.settings)

    def stop(self, jvm, path):
        jcmd(jvm, "JFR.stop", "name=bench", f"filename={path}")

    def count(self, path):
        counted = ct.run(ct.jdk(25).jfr, "summary", path).out.splitlines()
        return sum(int(line.split()[1]) for line in counted if line.split()[:1] == [self.event]), 0


def all_tools(interval_us):
    """The tools that have such an interval."""
    tools = [Candor("sigtrap", interval_us), Candor("signal", interval_us), AsyncProfiler("cpu", interval_us),
             AsyncProfiler("ctimer", interval_us), AsyncProfiler("itimer", interval_us)]
    return tools + ([FlightRecorder(True, interval_us), FlightRecorder(False, interval_us)] if interval_us >= 10000 else [])
