#!/usr/bin/env python3
"""Makes the corpus of tests/replay again, with the JDKs of script/jdks: `script/build && tests/replay/make_corpus.py`.

usage: make_corpus.py [DIR]      DIR: that of `script/machines --out DIR 'arm64-*/images-*'`, for the images of AArch64
"""
import gzip
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

HERE = pathlib.Path(__file__).resolve().parent
AGENT = ct.BUILD / "tests" / "replay" / "libcandor-capture.so"
PROGRAMS = {"Intrinsics": {"seconds": 0.3}, "Soak": {"seconds": 3, "alive": 20, "threads": 2},
            "VirtualThreads": {"threads": 100, "rounds": 10}}


def images(jdk, program, options):
    path = ct.WORK / f"{jdk.version}-{program}"
    agent = ct.agent_options(AGENT, file=ct.WORK / "corpus.jfr", interval="1ms")
    with ct.Jvm(jdk, program, agent=agent, flags=["-Xmx256m"], env={**os.environ, "CANDOR_CAPTURE": str(path)}) as jvm:
        jvm.expect("ready")
        jvm.round(**options)
        if jvm.finish() != 0:
            raise RuntimeError(jvm.transcript())
    return path.read_bytes()


def keep(processor, version, program, text):
    target = HERE / f"{processor}-{version}-{program.lower()}.gz"
    target.write_bytes(gzip.compress(text, 9, mtime=0))
    print(f"{target.name}: {text.count(b'image ')} images, {target.stat().st_size} bytes")


def keep_those_of_machines(folder):
    """A machine's folder is named arm64-KERNEL-JDK, and has out/images-PROGRAM/images."""
    for path in sorted(folder.glob("arm64-*/out/images-*/images")):
        version = path.parents[2].name.split("-")[2]
        keep("aarch64", version, path.parent.name.removeprefix("images-"), path.read_bytes())


def main():
    if sys.argv[1:]:
        keep_those_of_machines(pathlib.Path(sys.argv[1]))
        return
    for jdk in ct.jdks():
        for program, options in PROGRAMS.items():
            if program == "VirtualThreads" and jdk.version < 21:
                continue
            text = images(jdk, program, options)
            keep("x86_64", jdk.version, program, text)


main()
