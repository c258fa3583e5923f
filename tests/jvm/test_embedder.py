#!/usr/bin/env python3
"""A program that contains a JVM, and is not called `java`, has the same name in the list, in a recording's file and in its report.

tier: default
timeout: 300
"""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SOURCE = r"""
#include <dlfcn.h>
#include <jni.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    jint (*create)(JavaVM **, void **, void *) = library ? (jint (*)(JavaVM **, void **, void *))dlsym(library, "JNI_CreateJavaVM") : NULL;
    JavaVMOption options[] = {{argv[2], NULL}, {argv[3], NULL}};
    JavaVMInitArgs all = {JNI_VERSION_1_6, argc - 2, options, JNI_FALSE};
    JavaVM *vm;
    JNIEnv *jni;
    if (!create || create(&vm, (void **)&jni, &all))
        return 2;
    jclass program = (*jni)->FindClass(jni, "TwoMethods");
    jmethodID run = program ? (*jni)->GetStaticMethodID(jni, program, "main", "([Ljava/lang/String;)V") : NULL;
    jobjectArray none = (*jni)->NewObjectArray(jni, 0, (*jni)->FindClass(jni, "java/lang/String"), NULL);
    if (run)
        (*jni)->CallStaticVoidMethod(jni, program, run, none);
    return run ? 0 : 3;
}
"""
NAME = "embedded.app"


def build(jdk):
    source, program = ct.WORK / "program.c", ct.WORK / NAME
    source.write_text(SOURCE)
    subprocess.run(["cc", f"-I{jdk.home}/include", f"-I{jdk.home}/include/linux", "-o", program, source, "-ldl"], check=True)
    return program


def one_name(jdk):
    """A Jvm whose `java` is this program: its arguments come after the library and the class path."""
    what = f"{jdk}"
    flags = [jdk.libjvm, f"-Djava.class.path={ct.classes(jdk)}", "-Xshare:auto"]
    process = ct.spawn([build(jdk), *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ct.WORK)
    ct.ok(process.stdout.readline().startswith("ready"), f"{what}: the program runs")
    rows = {row["pid"]: row for row in json.loads(ct.candor("list", "--json").out)["jvms"]}
    ct.ok(rows.get(process.pid, {}).get("main") == NAME, f"{what}: list", rows.get(process.pid))
    print("go seconds=1", file=process.stdin, flush=True)
    recorded = ct.candor("record", "-d", "1s", process.pid, cwd=ct.WORK)
    made = re.search(r"^recording: +(.*)", recorded.out, re.MULTILINE)
    ct.ok(made and os.path.basename(made[1]).startswith(f"candor-{NAME}-"), f"{what}: the recording's file", recorded)
    report = ct.candor("report", made[1]) if made else recorded
    ct.ok(re.search(rf"^Process +{re.escape(NAME)} .*pid {process.pid}", report.out, re.MULTILINE), f"{what}: report", report)
    found = ct.candor("status", NAME)
    ct.ok(found.status == 0 and f"{process.pid} ({NAME})" in found.out, f"{what}: and by this name it is found", found)
    process.stdin.close()
    ct.ok(process.wait(ct.PATIENCE) == 0, f"{what}: the program ends normally")


def main():
    ct.need()
    jdk = ct.compiler()
    if (jdk.home / "include" / "jni.h").exists():
        one_name(jdk)
    else:
        ct.skip(f"{jdk}: a program with a JVM in it", "this JDK has no jni.h; run script/jdks")
    ct.done()


main()
