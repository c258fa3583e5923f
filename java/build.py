#!/usr/bin/env python3
"""Compiles sources for Java 8 and packs them: the same sources give the same jar, byte for byte.

usage: build.py [--main CLASS] [--class-path JARS] [--flight-recorder] [--resources DIR] JAVAC JAR SOURCE...

    --main          the class to run
    --class-path    jars that the sources need for compiling; they are not added to the jar
    --flight-recorder   the sources may use jdk.jfr. The last updates of JDK 8 have it, but javac's list of Java 8's API does not. So javac
                    checks the sources against its own JDK's API
    --resources     the files in this folder are added as they are, except sources
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import zipfile


def add(jar, name, content):
    jar.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--main")
    parser.add_argument("--class-path", default="")
    parser.add_argument("--flight-recorder", action="store_true")
    parser.add_argument("--resources", type=pathlib.Path)
    parser.add_argument("javac")
    parser.add_argument("jar")
    parser.add_argument("sources", nargs="+")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as classes:
        version = ["-source", "8", "-target", "8"] if o.flight_recorder else ["--release", "8"]
        command = [o.javac, *version, "-Xlint:-options", "-proc:none", "-encoding", "UTF-8", "-cp", o.class_path or classes,
                   "-d", classes, *o.sources]
        if subprocess.run(command).returncode != 0:
            sys.exit(1)
        content = {path.relative_to(classes).as_posix(): path for path in pathlib.Path(classes).rglob("*.class")}
        if o.resources:
            content |= {path.relative_to(o.resources).as_posix(): path for path in o.resources.rglob("*")
                        if path.is_file() and path.suffix != ".java"}
        with zipfile.ZipFile(o.jar, "w") as jar:
            main_class = f"Main-Class: {o.main}\r\n" if o.main else ""
            add(jar, "META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\n{main_class}\r\n")
            for name in sorted(content):
                add(jar, name, content[name].read_bytes())


main()
