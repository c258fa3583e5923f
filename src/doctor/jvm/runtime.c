#include "doctor/jvm/runtime.h"

#include "doctor/jvm/libjvm.h"
#include "base/procfs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The releases that Candor's tests run on. README.md has the same list. */
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

static void check_version(struct checkup *f, const struct target *t)
{
    const char *vendor = t->perf.vendor;
    bool known = is_verified(t->feature);
    char list[128];
    checkup_add(f, known ? CHECK_OK : CHECK_WARNING, "JDK", "%s%s%s%s", *t->jvm.version ? t->jvm.version : "unknown", *vendor ? ", " : "",
                vendor, known ? ", a verified release" : ", an untested release");
    if (!known) {
        checkup_meaning(f, "Candor is verified on JDK %s; on other JDKs stack walks may fail, and the books then show how many",
                        list_verified(list, sizeof list));
        checkup_remedy(f, "look at the share of truncated and failed samples in 'candor report'");
    }
}

static void check_libc(struct checkup *f, const struct target *t)
{
    if (!t->musl) {
        checkup_add(f, CHECK_OK, "C library", "not musl");
        return;
    }
    checkup_add(f, CHECK_PROBLEM, "C library", "musl");
    checkup_meaning(f, "the agent is built for glibc and cannot be loaded");
    checkup_remedy(f, "run the application on an image with glibc (Debian, Ubuntu, UBI) instead of Alpine's");
}

static void check_libjvm(struct checkup *f, const struct target *t)
{
    struct libjvm l;
    int fd = process_open_file(&t->jvm.process, t->maps.libjvm), code = fd < 0 ? fd : libjvm_read(fd, &l);
    if (fd >= 0)
        close(fd);
    if (code) {
        checkup_add(f, CHECK_NOTE, "libjvm.so", "cannot be read: %s", strerror(-code));
        checkup_meaning(f, "an upgrade deleted it, or candor may not read it; recordings may lack the names of its functions");
        checkup_remedy(f, "restart the JVM if its file was deleted");
        return;
    }
    checkup_add(f, l.tables ? CHECK_OK : CHECK_WARNING, "JVM tables", l.tables ? "exported" : "not exported");
    if (!l.tables) {
        checkup_meaning(
            f, "the agent cannot walk stacks by itself; it uses the JVM's AsyncGetCallTrace, if there is one, which fails more often");
        checkup_remedy(f, "use a HotSpot build that exports gHotSpotVMStructs");
    }
    checkup_add(f, l.symbols ? CHECK_OK : CHECK_NOTE, "JVM symbols", "%s%s", l.symbols ? "in libjvm.so" : "stripped",
                l.debug_link ? ", with a debug link" : "");
    if (!l.symbols) {
        checkup_meaning(f, "the JVM's own functions (GC, JIT) have no names in reports; debug files are not read");
        checkup_remedy(f, "use a build whose libjvm.so keeps .symtab");
    }
}

static void check_flight_recorder(struct checkup *f, const struct target *t)
{
    static const char key[] = "MODULES=\"";
    char text[JVM_RELEASE_MAX], *modules;
    if (jvm_read_release(&t->jvm.process, t->maps.libjvm, text, sizeof text) < 0 || !(modules = strstr(text, key))) {
        checkup_add(f, CHECK_NOTE, "Flight Recorder", "unknown: the JDK has no list of its modules");
        checkup_meaning(f, "recordings do not need it; only the JDK's tool 'jfr' does");
        return;
    }
    modules[strcspn(modules + sizeof key, "\n") + sizeof key] = 0;
    bool there = procfs_has_word(modules + sizeof key - 1, " \"", "jdk.jfr");
    checkup_add(f, there ? CHECK_OK : CHECK_NOTE, "Flight Recorder", there ? "module jdk.jfr" : "no module jdk.jfr");
    if (!there)
        checkup_meaning(f, "recordings do not need it; read them with 'candor report', or with the tool 'jfr' of another JDK");
}

enum { VIRTUAL_THREADS_SINCE = 21 };

static const char *collector_of(const struct target *t)
{
    static const char *const names[] = {"UseG1GC", "UseZGC", "UseShenandoahGC", "UseParallelGC", "UseSerialGC", "UseEpsilonGC"};
    if (*t->perf.collector)
        return t->perf.collector;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (target_has_flag(t, names[i]))
            return names[i];
    return "the JVM's own choice";
}

static void check_options(struct checkup *f, const struct target *t)
{
    bool detailed = target_has_flag(t, "DebugNonSafepoints");
    checkup_add(f, CHECK_OK, "collector", "%.100s", collector_of(t));
    checkup_add(f, detailed || t->jvm.agent ? CHECK_OK : CHECK_NOTE, "debug information",
                detailed       ? "full (DebugNonSafepoints)"
                : t->jvm.agent ? "full for code compiled since the agent was loaded"
                               : "sparse");
    if (!detailed && !t->jvm.agent) {
        checkup_meaning(f, "code compiled before the agent is loaded shows approximate lines, and may lack inlined methods, until the JVM "
                           "compiles it again (record --heal)");
        checkup_remedy(f, "start the JVM with -agentpath:.../libcandor.so, or with -XX:+UnlockDiagnosticVMOptions "
                          "-XX:+DebugNonSafepoints");
    }
    if (t->feature >= VIRTUAL_THREADS_SINCE)
        checkup_add(f, CHECK_OK, "virtual threads",
                    "recorded when they run; one that waits already when a recording begins is not seen until it runs");
    if (target_has_option(t, "-Xcheck:jni")) {
        checkup_add(f, CHECK_NOTE, "JNI checks", "-Xcheck:jni");
        checkup_meaning(f, "the JVM prints a few lines about the agent's signal handler for faults");
        checkup_remedy(f, "profile without -Xcheck:jni, or ignore the lines");
    }
    if (target_has_option(t, "-Xint")) {
        checkup_add(f, CHECK_NOTE, "compilers", "off (-Xint)");
        checkup_meaning(f, "interpreted code spends its time in different places than compiled code");
        checkup_remedy(f, "profile without -Xint");
    }
}

static void check_company(struct checkup *f, const struct target *t)
{
    if (t->who.tracer) {
        checkup_add(f, CHECK_WARNING, "debugger", "traced by process %d", t->who.tracer);
        checkup_meaning(f, "the signal of each sample first stops the thread for the tracer");
        checkup_remedy(f, "detach it (gdb, strace) while recording");
    } else {
        checkup_add(f, CHECK_OK, "debugger", "none");
    }
    if (t->who.caught >> (SIGPROF - 1) & 1) {
        checkup_add(f, CHECK_NOTE, "other profiler", "SIGPROF has a handler");
        checkup_meaning(f, "another profiler is probably active: each profiler appears in the figures of the other, and the clock 'itimer' "
                           "cannot be used");
        checkup_remedy(f, "stop the other one while recording");
    } else {
        checkup_add(f, CHECK_OK, "other profiler", "none that uses SIGPROF");
    }
}

void runtime_check(struct checkup *f, const struct target *t)
{
    check_version(f, t);
    check_libc(f, t);
    check_libjvm(f, t);
    check_flight_recorder(f, t);
    check_options(f, t);
    check_company(f, t);
}
