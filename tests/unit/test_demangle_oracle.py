#!/usr/bin/env python3
"""Every C++ function of libjvm and libstdc++, named by the agent and by c++filt -p.

tier: default
timeout: 120

They may differ in two ways, both wanted: the agent leaves the parameters out where c++filt writes them, behind a thunk's
or transaction clone's function and in the address of a function that is a template argument. What else differs is a
fault, and so is a C++ function that keeps its symbol, but for the initializers of modules, which run once.
"""
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

OURS = ct.BUILD / "tests" / "unit" / "demangle_lines"
MADE = re.compile(r"(?:(?:non-)?virtual|covariant return) thunk to |transaction clone for ")
ADDRESS = re.compile(r"&(?=[(\w])")


def symbols(library):
    """The names of the functions, from .symtab where it is left and from .dynsym."""
    names = set()
    for options in ([], ["-D"]):
        out = ct.run("nm", "--defined-only", *options, library).out
        names |= {match[1] for match in re.finditer(r"^\w+ [tTwWi] (_Z[^\s@]+)", out, re.M)}
    return sorted(names)


def through(lines, *command):
    done = subprocess.run(command, input="".join(f"{line}\n" for line in lines), text=True, capture_output=True, check=True)
    return done.stdout.splitlines()


def without_addresses(name):
    """The name with what follows each & of an address cut out, up to the end of that template argument."""
    out, at = "", 0
    for match in ADDRESS.finditer(name):
        if match.start() < at:
            continue
        out += name[at:match.end()]
        at, depth = match.end(), 0
        while at < len(name) and (depth or name[at] not in ",>"):
            depth += (name[at] in "(<") - (name[at] in ")>")
            at += 1
    return out + name[at:]


def wanted(symbol, ours, theirs):
    """True when the two names differ in a way that is meant."""
    if symbol.startswith("_ZGI"):
        return ours == symbol
    if MADE.match(theirs):
        return theirs.startswith(f"{ours}(")
    return "&(" in theirs and "&(" not in ours and without_addresses(ours) == without_addresses(theirs)


def check(text, library, share):
    """At least this share of the names is the same, and the others differ as they should."""
    names = symbols(library)
    ours, theirs = through(names, OURS), through(names, "c++filt", "-p")
    rows = list(zip(names, ours, theirs))
    differ = [row for row in rows if row[1] != row[2]]
    exact = 1 - len(differ) / max(1, len(names))
    ct.ok(len(names) > 1000 and len(ours) == len(theirs) == len(names) and exact >= share,
          f"{text}: {len(names)} functions, {100 * exact:.3f} % named as c++filt -p names them")
    faults = [row for row in differ if not wanted(*row)]
    ct.ok(not faults, f"{text}: {len(differ)} names differ, each as expected", faults[:5])


def libstdcxx():
    """The one in use here, or none: a compiler of C alone brings it, too, for its own tools."""
    path = ct.run("gcc", "-print-file-name=libstdc++.so.6").out.strip()
    return pathlib.Path(path) if pathlib.Path(path).is_absolute() else None


def main():
    if not shutil.which("c++filt"):
        ct.skip("c++filt", "not installed; run script/bootstrap")
        ct.done()
    for jdk in ct.jdks({8: "its libjvm has no table of symbols"}):
        check(f"libjvm of {jdk}", jdk.libjvm, 0.995)
    library = libstdcxx()
    if library:
        check("libstdc++", library, 0.95)  # many are thunks and clones
    else:
        ct.skip("libstdc++", "no libstdc++.so.6; apt install libstdc++6")
    ct.done()


main()
