#!/usr/bin/env python3
"""What `meson install` puts down is enough: the programs of examples/ build against it by pkg-config alone, and by CMake alone, in C and
C++, shared and static, and print what they should; the libraries show nothing but candor_* and need nothing but libc (and zlib).

tier: default
timeout: 120
sanitize: no
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = {  # source: (package, what it prints)
    "pipeline.c": ("candor-queue", "100000 numbers, sum 5000050000\n"),
    "handler.c": ("candor-queue", "1000 records of 4500 words, 0 lost\n"),
    "workers.cpp": ("candor-queue", "20000 jobs, sum 99990000\n"),
    "latencies.c": ("candor-histogram", "10000 values, p50 5001215 ns, p99 9904127 ns\n"),
}
NEEDED = {"candor-queue": set(), "candor-histogram": {"libc.so.6", "libz.so.1", "libm.so.6"}}
VERSION = re.search(r"^  version: '(.*)',$", (ROOT / "meson.build").read_text(), re.MULTILINE)[1]


def run(*command, **options):
    return subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)


def install(root):
    done = run("meson", "install", "-C", os.environ["CANDOR_BUILD"], "--no-rebuild", "--quiet", "--destdir", root)
    ct.ok(done.returncode == 0, "meson install", done.stdout + done.stderr)
    found = list(root.glob("**/candor-queue.pc"))
    ct.ok(len(found) == 1, "candor-queue.pc is there", str(found))
    return found[0].parent if found else root


def check_headers(root):
    wanted = {path.relative_to(ROOT / "include") for path in (ROOT / "include").glob("**/*.h")}
    found = next(root.glob("**/include/candor/queue.h")).parents[1]
    there = {path.relative_to(found) for path in found.glob("**/*.h")}
    ct.ok(there == wanted, f"all {len(wanted)} headers are installed", str(there ^ wanted))


def check_library(libraries, package):
    library = libraries / f"lib{package}.so"
    shown = re.findall(r" [A-Z] (\S+)", run("nm", "-D", "--defined-only", library).stdout)
    strange = [name for name in shown if not re.match(r"candor_|CANDOR_0", name)]
    ct.ok(len(shown) > 10 and not strange, f"{package} shows {len(shown)} names, all its own", str(strange))
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", library).stdout))
    ct.ok(needed <= NEEDED[package] | {"libc.so.6"}, f"{package} needs {sorted(needed)}")
    archive = run("nm", "-g", "--defined-only", libraries / f"lib{package}.a").stdout
    strange = [name for name in re.findall(r" [A-Z] (\S+)", archive) if not name.startswith("candor_")]
    ct.ok("candor_" in archive and not strange, f"{package}: so does its static library", str(strange))
    soname = re.findall(r"SONAME.*\[(.*)\]", run("readelf", "-d", library).stdout)
    ct.ok(soname == [f"lib{package}.so.0"], f"{package} has its version in its name", str(soname))


def check_example(source, package, output, packages, libraries, work, static):
    # The sysroot turns the paths of the .pc file into those below DESTDIR.
    destination = str(packages).split("/usr")[0]
    env = dict(os.environ, PKG_CONFIG_PATH=str(packages), PKG_CONFIG_SYSROOT_DIR=destination)
    flags = run("pkg-config", *(["--static"] if static else []), "--cflags", "--libs", package, env=env)
    ct.ok(flags.returncode == 0, f"{source}: pkg-config knows {package}", flags.stderr)
    words = flags.stdout.split()
    if static:
        words = [str(libraries / f"lib{package}.a") if word == f"-l{package}" else word for word in words]
    compiler = ["c++", "-std=c++11"] if source.endswith(".cpp") else ["cc", "-std=c11", "-D_POSIX_C_SOURCE=200809L"]
    program = work / (source + (".static" if static else ".shared"))
    built = run(*compiler, "-Wall", "-Wextra", "-pedantic", "-Werror", "-O2", ROOT / "examples" / source, "-o", program, *words,
                "-pthread")
    ct.ok(built.returncode == 0, f"{source}: builds, {'static' if static else 'shared'}", built.stderr)
    if built.returncode:
        return
    check_output(program, source, output, libraries, static)


def check_output(program, source, output, libraries, static):
    done = run(program, env=dict(os.environ, LD_LIBRARY_PATH="" if static else str(libraries)), timeout=60)
    ct.ok(done.returncode == 0 and done.stdout == output, f"{source}: prints {output.strip()!r}", done.stdout + done.stderr)


def check_cmake(root, work, libraries):
    """A project of CMake finds both libraries, wherever they were put down."""
    lines = ["cmake_minimum_required(VERSION 3.13)", "project(examples C CXX)", "find_package(Threads REQUIRED)",
             f"find_package(candor-queue {VERSION} REQUIRED)", "find_package(candor-histogram REQUIRED)"]
    for source, (package, _) in EXAMPLES.items():
        for kind in ("", "-static"):
            program = source.replace(".", "-") + (kind or "-shared")
            lines += [f"add_executable({program} {ROOT / 'examples' / source})",
                      f"target_link_libraries({program} candor::{package.removeprefix('candor-')}{kind} Threads::Threads)"]
    project = work / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
    prefix = next(root.glob("**/include/candor/queue.h")).parents[2]
    made = run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_C_FLAGS=-D_GNU_SOURCE")
    ct.ok(made.returncode == 0, "CMake finds the libraries", made.stdout + made.stderr)
    built = run("cmake", "--build", project / "build")
    if not ct.ok(built.returncode == 0, "CMake builds the examples", built.stdout + built.stderr):
        return
    for source, (_, output) in EXAMPLES.items():
        for kind in ("shared", "static"):
            program = project / "build" / (source.replace(".", "-") + "-" + kind)
            check_output(program, source + " by CMake", output, libraries, kind == "static")
    (project / "CMakeLists.txt").write_text("\n".join(lines).replace(f"queue {VERSION}", "queue 99"))
    made = run("cmake", "-S", project, "-B", project / "other", f"-DCMAKE_PREFIX_PATH={prefix}")
    ct.ok(made.returncode != 0 and f"version: {VERSION}" in made.stderr, "CMake refuses another version", made.stdout + made.stderr)


with tempfile.TemporaryDirectory() as name:
    root, work = pathlib.Path(name) / "root", pathlib.Path(name) / "work"
    work.mkdir()
    packages = install(root)
    libraries = packages.parent
    check_headers(root)
    for package in NEEDED:
        check_library(libraries, package)
    check_cmake(root, work, libraries)
    for source, (package, output) in EXAMPLES.items():
        if source.endswith(".cpp") and not shutil.which("c++"):
            ct.skip(source, "no C++ compiler; script/bootstrap installs one")
            continue
        for static in (False, True):
            check_example(source, package, output, packages, libraries, work, static)
ct.done()
