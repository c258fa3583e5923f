"""The gates of the build accept a good library, and stop each fault for which they exist.

tier: quick
timeout: 180
"""
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

HOT_SYMBOLS = ct.ROOT / "script" / "hot-symbols"
CHECK_AGENT = ct.ROOT / "script" / "check-agent"
ONE_DEFINITION = ct.ROOT / "script" / "one-definition"

MAP = ct.WORK / "agent.map"
MAP.write_text("{\n    global:\n        Agent_OnLoad;\n        Agent_OnUnload;\n    local:\n        *;\n};\n")
GOOD = "int Agent_OnLoad(void) { return 0; } int Agent_OnUnload(void) { return 0; }\n"
LINK = ("-Wl,-z,now", "-Wl,-z,nodelete", f"-Wl,--version-script={MAP}")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def gcc(source, output, *options):
    path = output.with_suffix(".c")
    path.write_text(source)
    subprocess.run(["gcc", "-fPIC", "-o", output, path, *options], check=True)
    return output


def agent(source, *options):
    return run(CHECK_AGENT, gcc(source, ct.WORK / "libagent.so", "-shared", *options), MAP)


def hot(source):
    """Runs hot-symbols on an archive with this object; memcpy is allowed."""
    member = gcc(source, ct.WORK / "planted.o", "-c", "-O1", "-fno-builtin")
    archive = ct.WORK / "libhot.a"
    archive.unlink(missing_ok=True)
    subprocess.run(["ar", "-rcT", archive, member], check=True)  # thin, as Meson's are
    allowed = ct.WORK / "allowed.txt"
    allowed.write_text("# copies\nmemcpy  # of names\n")
    return run(HOT_SYMBOLS, allowed, archive)


def stops(outcome, expected, text):
    status, output = outcome
    ct.ok(status == 1 and expected in output, text, output)


def library(name, source):
    """A thin archive of one object."""
    member = gcc(source, ct.WORK / f"{name}.o", "-c")
    archive = ct.WORK / f"lib{name}.a"
    subprocess.run(["ar", "-rcT", archive, member], check=True)
    return archive


def definitions():
    """One function in two libraries, and in a library and an object of the program; what is static or weak is in nobody's way."""
    one = library("one", "int page_write(void) { return 1; } static int helper(void) { return 1; } int (*use_one)(void) = helper;")
    two = library("two", "static int helper(void) { return 2; } int (*use_two)(void) = helper; __attribute__((weak)) int page_write;")
    outcome = run(ONE_DEFINITION, one, two)
    ct.ok(outcome == (0, "3 symbols of 2 files\n"), "one-definition: names that differ pass", outcome)
    again = library("again", "int page_write(void) { return 2; }")
    stops(run(ONE_DEFINITION, one, two, again), "page_write is defined in", "one-definition: a function in two libraries is found")
    member = gcc("int page_write;", ct.WORK / "main.o", "-c")
    stops(run(ONE_DEFINITION, member, one), "/main.o", "one-definition: a name in the program and in a library is found")


def build_dependencies():
    """What script/bootstrap installs for the build is what Debian's package says it needs."""
    installed = set(run(ct.ROOT / "script" / "bootstrap", "--list", "build")[1].split())
    control = (ct.ROOT / "dist/debian/control").read_text()
    named = set(re.findall(r"[a-z0-9][a-z0-9.+-]+", re.search(r"^Build-Depends:(.*?)^\S", control, re.MULTILINE | re.DOTALL)[1]))
    implied = {"binutils", "dpkg-dev", "gcc", "libc6-dev", "ninja-build"}  # by build-essential and by meson
    ct.ok(installed - implied <= named, "debian/control names what the build needs", installed - implied - named)


def packaged():
    """Each file that Meson installs is in one of Debian's packages. Otherwise dh_missing ends their build."""
    prefix = json.loads(run("meson", "introspect", "--buildoptions", ct.BUILD)[1])
    prefix = next(option["value"] for option in prefix if option["name"] == "prefix")
    files = [name.replace(prefix, "usr", 1) for name in json.loads(run("meson", "introspect", "--installed", ct.BUILD)[1]).values()]
    patterns = [line.split()[0] for path in (ct.ROOT / "dist/debian").glob("*.install") for line in path.read_text().splitlines()]
    # dist/debian/rules removes the first two, and moves the others to etc/candor, where they are packaged.
    patterns += ["usr/share/doc/candor/LICENSE", "usr/share/doc/candor/CHANGELOG.md",
                 "usr/share/doc/candor/examples/daemon.conf", "usr/share/doc/candor/examples/server.env"]
    nobodys = [name for name in files if not any(fnmatch.fnmatch(name, form) for p in patterns for form in (p, p + "/*"))]
    ct.ok(len(files) > 40 and not nobodys, f"{len(files)} installed files are in Debian's packages", nobodys)


outcome = agent(GOOD, *LINK)
ct.ok(outcome == (0, ""), "check-agent: a good library passes", outcome)
stops(agent(GOOD + "double cbrt(double); double third(double x) { return cbrt(x); } double (*keep)(double) = third;",
            *LINK, "-lm"), "needs more than libc: libm.so.6", "check-agent: another library is found")
stops(agent(GOOD + "int gettid(void); int (*keep)(void) = gettid;", *LINK),
      "needs glibc 2.30, the floor is 2.17: gettid", "check-agent: a symbol too new is found by name")
stops(agent(GOOD + "int timer_delete(void *); int (*keep)(void *) = timer_delete;", *LINK),
      "in librt before glibc 2.34: timer_delete", "check-agent: a function of a library that JVMs do not load is found by name")
stops(agent(GOOD + "int helper;", *LINK[:2]), "+helper", "check-agent: one export too many is found")
stops(agent("int Agent_OnLoad(void) { return 0; }", *LINK), "-Agent_OnUnload", "check-agent: a missing export is found")
stops(agent(GOOD, "-Wl,-z,lazy", *LINK[1:]), "-z now", "check-agent: lazy binding is found")
stops(agent(GOOD, LINK[0], LINK[2]), "-z nodelete", "check-agent: a library that can be unloaded is found")

COPY = "void *memcpy(void *, const void *, unsigned long); void f(char *a, char *b) { memcpy(a, b, 9); }\n"
outcome = hot(COPY)
ct.ok(outcome == (0, ""), "hot-symbols: what is on the list passes", outcome)
stops(hot(COPY + "int snprintf(char *, unsigned long, const char *, ...); void g(char *a) { snprintf(a, 9, \"x\"); }"),
      "snprintf is not in allowed.txt; used by planted.o", "hot-symbols: snprintf is found, and who calls it")
stops(hot("__thread int x; extern __thread int y; int *f(void) { return &y; }"), "y is not in", "hot-symbols: data counts too")

for name in ("hot-symbols", "check-agent", "one-definition"):
    status, output = run(ct.ROOT / "script" / name)
    ct.ok(status != 0, f"{name}: without arguments it does not pass", output)
definitions()
build_dependencies()
packaged()
ct.done()
