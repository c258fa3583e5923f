#include "doctor/runtime.h"

#include "doctor/libjvm.h"
#include "base/procfs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The releases that our tests run on; README.md names the same. */
static const int verified[] = {8, 11, 17, 21, 25, 27};

static bool is_verified(int feature)
{
    for (size_t i = 0; i < sizeof verified / sizeof *verified; i++)
        if (verified[i] == feature)
            return true;
    return false;
}

static const char *list_verified(char *out, size_t size)
{
    size_t n = 0;
    *out = 0;
    for (size_t i = 0; i < sizeof verified / sizeof *verified && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%d", i ? ", " : "", verified[i]);
    return out;
}

static void check_version(struct findings *f, const struct target *t)
{
    const char *vendor = t->perf.vendor;
    bool known = is_verified(t->feature);
    char list[128];
    findings_add(f, known ? FINDING_OK : FINDING_WARNING, "JDK", "%s%s%s%s", *t->jvm.version ? t->jvm.version : "unknown",
                 *vendor ? ", " : "", vendor, known ? ", a verified release" : ", an untested release");
    if (!known) {
        findings_meaning(f, "Candor is verified on JDK %s; others may be walked badly, which the books then show",
                         list_verified(list, sizeof list));
        findings_remedy(f, "look at the share of truncated and failed samples in 'candor report'");
    }
}

static void check_libc(struct findings *f, const struct target *t)
{
    if (!t->musl) {
        findings_add(f, FINDING_OK, "C library", "not musl");
        return;
    }
    findings_add(f, FINDING_PROBLEM, "C library", "musl");
    findings_meaning(f, "the agent is built for glibc and cannot be loaded");
    findings_remedy(f, "run the application on an image with glibc (Debian, Ubuntu, UBI) instead of Alpine's");
}

static void check_libjvm(struct findings *f, const struct target *t)
{
    struct libjvm l;
    int fd = process_open_file(&t->jvm.process, t->maps.libjvm), code = fd < 0 ? fd : libjvm_read(fd, &l);
    if (fd >= 0)
        close(fd);
    if (code) {
        findings_add(f, FINDING_NOTE, "libjvm.so", "cannot be read: %s", strerror(-code));
        findings_meaning(f, "deleted by an upgrade, or closed to us; the agent may name none of its functions");
        findings_remedy(f, "restart the JVM should its file be gone");
        return;
    }
    findings_add(f, l.tables ? FINDING_OK : FINDING_WARNING, "JVM tables", l.tables ? "exported" : "not exported");
    if (!l.tables) {
        findings_meaning(f, "the agent cannot walk stacks by itself; AsyncGetCallTrace, if there is one, fails more often");
        findings_remedy(f, "use a HotSpot build that exports gHotSpotVMStructs");
    }
    findings_add(f, l.symbols ? FINDING_OK : FINDING_NOTE, "JVM symbols", "%s%s", l.symbols ? "in libjvm.so" : "stripped",
                 l.debug_link ? ", with a debug link" : "");
    if (!l.symbols) {
        findings_meaning(f, "the JVM's own functions (GC, JIT) have no names in reports; debug files are not read");
        findings_remedy(f, "use a build whose libjvm.so keeps .symtab");
    }
}

static void check_flight_recorder(struct findings *f, const struct target *t)
{
    static const char key[] = "MODULES=\"";
    char text[JVM_RELEASE_MAX], *modules;
    if (jvm_read_release(&t->jvm.process, t->maps.libjvm, text, sizeof text) < 0 || !(modules = strstr(text, key))) {
        findings_add(f, FINDING_NOTE, "Flight Recorder", "unknown: the JDK has no list of its modules");
        findings_meaning(f, "a recording does not need it; the tool 'jfr' reads recordings where it is");
        return;
    }
    modules[strcspn(modules + sizeof key, "\n") + sizeof key] = 0;
    bool there = procfs_has_word(modules + sizeof key - 1, " \"", "jdk.jfr");
    findings_add(f, there ? FINDING_OK : FINDING_NOTE, "Flight Recorder", there ? "module jdk.jfr" : "no module jdk.jfr");
    if (!there)
        findings_meaning(f, "a recording does not need it; read recordings with 'candor report', or with another JDK's 'jfr'");
}

static const char *collector_of(const struct target *t)
{
    static const char *const names[] = {"UseG1GC", "UseZGC", "UseShenandoahGC", "UseParallelGC", "UseSerialGC",
                                        "UseEpsilonGC"};
    if (*t->perf.collector)
        return t->perf.collector;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (target_has_flag(t, names[i]))
            return names[i];
    return "the JVM's own choice";
}

static void check_options(struct findings *f, const struct target *t)
{
    bool detailed = target_has_flag(t, "DebugNonSafepoints");
    findings_add(f, FINDING_OK, "collector", "%.100s", collector_of(t));
    findings_add(f, detailed || t->jvm.agent ? FINDING_OK : FINDING_NOTE, "debug information",
                 detailed       ? "full (DebugNonSafepoints)"
                 : t->jvm.agent ? "full for code compiled since the agent came"
                                : "sparse");
    if (!detailed && !t->jvm.agent) {
        findings_meaning(f, "code compiled before the agent comes shows coarse lines and may miss inlined methods");
        findings_remedy(f, "start the JVM with -agentpath:.../libcandor.so, or with -XX:+UnlockDiagnosticVMOptions "
                           "-XX:+DebugNonSafepoints");
    }
    if (target_has_option(t, "-Xcheck:jni")) {
        findings_add(f, FINDING_NOTE, "JNI checks", "-Xcheck:jni");
        findings_meaning(f, "the JVM prints a few lines about the agent's handler of faults");
        findings_remedy(f, "profile without -Xcheck:jni, or ignore the lines");
    }
    if (target_has_option(t, "-Xint")) {
        findings_add(f, FINDING_NOTE, "compilers", "off (-Xint)");
        findings_meaning(f, "interpreted code spends its time elsewhere than compiled code will");
        findings_remedy(f, "profile without -Xint");
    }
}

static void check_company(struct findings *f, const struct target *t)
{
    if (t->who.tracer) {
        findings_add(f, FINDING_WARNING, "debugger", "traced by process %d", t->who.tracer);
        findings_meaning(f, "every sample's signal first stops the thread for the tracer");
        findings_remedy(f, "detach it (gdb, strace) while recording");
    } else {
        findings_add(f, FINDING_OK, "debugger", "none");
    }
    if (t->who.caught >> (SIGPROF - 1) & 1) {
        findings_add(f, FINDING_NOTE, "other profiler", "SIGPROF has a handler");
        findings_meaning(f, "most likely another profiler is at work: each shows in the other's figures; no clock 'itimer'");
        findings_remedy(f, "stop the other one while recording");
    } else {
        findings_add(f, FINDING_OK, "other profiler", "none that uses SIGPROF");
    }
}

void runtime_check(struct findings *f, const struct target *t)
{
    check_version(f, t);
    check_libc(f, t);
    check_libjvm(f, t);
    check_flight_recorder(f, t);
    check_options(f, t);
    check_company(f, t);
}
