"""Tomcat with the example pages of its distribution, and an open schedule of `candor load` for it."""
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
import candortest as ct

PAGES = ("jsp/jsp2/el/basic-arithmetic.jsp", "jsp/jsp2/el/basic-comparisons.jsp", "jsp/jsp2/simpletag/book.jsp",
         "jsp/jsp2/tagfiles/products.jsp", "jsp/dates/date.jsp", "servlets/servlet/RequestInfoExample", "CompressionTest")
START = """
set -euo pipefail
. script/tomcat.sh
start_tomcat -XX:+EnableDynamicAgentLoading
echo "$tomcat $port"
wait $tomcat
"""


class Tomcat:
    def __init__(self, jdk, name):
        self.jdk = jdk
        base = ct.WORK / name.replace(" ", "-")
        base.mkdir()
        environment = {**os.environ, "base": str(base), "jdk": str(jdk.version)}
        self.script = subprocess.Popen(["bash", "-c", START], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        words = self.script.stdout.readline().split()
        if len(words) != 2:
            sys.exit("bench: Tomcat does not start; run script/bootstrap demo and script/jdks")
        self.pid, self.port = map(int, words)

    def load(self, seconds, *pace):
        """A running `candor load`; loaded() returns its result."""
        requests = ",".join(f"page{i}=1:GET:/examples/{page}" for i, page in enumerate(PAGES))
        return ct.spawn([ct.PROGRAM, "load", "--json", "-q", *map(str, pace), "-d", f"{seconds}s", "-H", "Accept-Encoding: gzip",
                         "--requests", requests, f"http://127.0.0.1:{self.port}/"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def record(self, events, path, *options):
        """Starts a recording into a file, which may exist already."""
        path.unlink(missing_ok=True)
        result = ct.candor("start", "-e", events, *options, "-o", path, self.pid)
        if result.status:
            sys.exit(f"bench: {result.err}")

    def end(self):
        os.kill(self.pid, 15)
        self.script.wait()


def loaded(process):
    out, err = process.communicate()
    if process.returncode:
        sys.exit(f"bench: {err.decode()}")
    return json.loads(out)


WARM_UP, STEADY = 60, 20  # seconds: at full speed, at the rate


@contextlib.contextmanager
def steady(jdk, rate, seconds, early=False):
    """A warm Tomcat with this many requests a second, for at least this many seconds; they must not be over before the block ends.
    early: with the agent loaded before the warm-up, so that nothing has to be healed (docs/agent.md)."""
    tomcat = Tomcat(jdk, "tomcat")
    try:
        if early:
            tomcat.record("cpu", ct.WORK / "early.jfr", "--heal", "off")
            ct.candor("stop", tomcat.pid)
        loaded(tomcat.load(WARM_UP, "--mode", "throughput", "-c", 8))
        load = tomcat.load(STEADY + seconds, "-r", rate, "-c", 50)
        time.sleep(STEADY)
        yield tomcat
        if load.poll() is not None:
            sys.exit(f"bench: the load ended early: {load.communicate()[1].decode()}")
        load.kill()
        load.wait()
    finally:
        tomcat.end()
