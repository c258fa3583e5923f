#!/usr/bin/env python3
"""The agent, built for the C library musl: it needs no other library, loads into a program that runs on musl, and says there what is
wrong if that program is no JVM. Test programs of the agent that need no more than that library pass on it.

tier: all
timeout: 900

No JDK for musl is among Debian's packages, so no JVM is recorded here.
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

BUILD = ct.ROOT / "build-musl"
AGENT = BUILD / "libcandor.so"
PROGRAMS = ("parks", "unwind", "walk")
HOST = r"""
#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
static jint no_environment(JavaVM *vm, void **out, jint version) { return JNI_EVERSION; }
int main(int count, char **arguments)
{
    const struct JNIInvokeInterface_ functions = {.GetEnv = no_environment};
    JavaVM vm = &functions;
    void *agent = dlopen(arguments[1], RTLD_NOW);
    jint (*load)(JavaVM *, char *, void *) = agent ? (jint (*)(JavaVM *, char *, void *))dlsym(agent, "Agent_OnLoad") : NULL;
    if (!load)
        return puts(dlerror()), 1;
    printf("loaded, and ends with %d\n", load(&vm, "", NULL));
    return 0;
}
"""


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ct.ROOT)
    return done.returncode, done.stdout


status, said = run("script/build", "--musl")
if not ct.ok(status == 0, "script/build --musl", said):
    ct.done()
host = ct.WORK / "host"
(ct.WORK / "host.c").write_text(HOST)
java = ct.jdk(17).home / "include"
status, said = run("musl-gcc", "-o", host, ct.WORK / "host.c", f"-I{java}", f"-I{java / 'linux'}")
ct.ok(status == 0, "a program for musl", said)
status, said = run(host, AGENT)
ct.ok(status == 0 and "loaded, and ends with " in said, "the agent loads there", said)
names = [f"tests/unit/test_agent_{name}" for name in PROGRAMS]
status, said = run("ninja", "-C", BUILD, *names)
ct.ok(status == 0, "test programs for musl", said)
for name in names:
    status, said = run(BUILD / name)
    ct.ok(status == 0 and "not ok" not in said, name, said)
ct.done()
