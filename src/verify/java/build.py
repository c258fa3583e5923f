#!/usr/bin/env python3
"""Compiles the programs of known truth for Java 8 and packs them: the same sources give the same jar, byte for byte.

usage: build.py JAVAC JAR SOURCE...
"""
import pathlib
import subprocess
import sys
import tempfile
import zipfile

MANIFEST = "Manifest-Version: 1.0\r\nMain-Class: verify.Main\r\n\r\n"


def add(jar, name, content):
    jar.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def main():
    javac, target, *sources = sys.argv[1:]
    with tempfile.TemporaryDirectory() as classes:
        command = [javac, "--release", "8", "-Xlint:-options", "-encoding", "UTF-8", "-d", classes, *sources]
        if subprocess.run(command).returncode != 0:
            sys.exit(1)
        with zipfile.ZipFile(target, "w") as jar:
            add(jar, "META-INF/MANIFEST.MF", MANIFEST)
            for path in sorted(pathlib.Path(classes).rglob("*.class")):
                add(jar, path.relative_to(classes).as_posix(), path.read_bytes())


main()
