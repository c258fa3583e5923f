/* Native code that starts child processes in every possible way (tests/java/NativeChildren.java). */
#include "base/time_units.h"

#include <jni.h>

#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { BURN_NS = 20 * NS_PER_MS, STRAY = 120 };

JNIEXPORT jobjectArray JNICALL Java_NativeChildren_ways(JNIEnv *jni, jclass unused);
JNIEXPORT jint JNICALL Java_NativeChildren_child(JNIEnv *jni, jclass unused, jint way, jint status);

static volatile sig_atomic_t strays;

static void count_stray(int signal)
{
    strays++;
}

/* The signals that a clock of the parent might send. */
static void listen(void)
{
    static const int signals[] = {SIGTRAP, SIGURG, SIGSTKFLT, SIGVTALRM, SIGPROF, SIGIO};
    struct sigaction sa = {.sa_handler = count_stray};
    sigset_t none;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &sa, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Long enough for the parent's clocks to expire some ten times. */
static void burn(void)
{
    struct timespec t;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    while (t.tv_sec == 0 && t.tv_nsec < BURN_NS);
}

static char script[160];

/* A shell that looks for descriptors of the parent's clocks, uses CPU time and ends. */
static char *const *command(int status)
{
    static char *const words[] = {"sh", "-c", script, NULL};
    snprintf(script, sizeof script,
             "ls -l /proc/self/fd | grep -q perf_event && exit 119; i=0; "
             "while [ $i -lt 4000 ]; do i=$((i+1)); done; exit %d",
             status);
    return words;
}

static pid_t by_fork(int status)
{
    pid_t pid = fork();
    if (!pid) {
        listen();
        burn();
        _exit(strays ? STRAY : status);
    }
    return pid;
}

static pid_t by_fork_that_stays(int status)
{
    pid_t pid = fork();
    if (!pid) {
        burn(); /* with the handlers that it inherited */
        _exit(status);
    }
    return pid;
}

static pid_t by_fork_and_exec(int status)
{
    char *const *words = command(status);
    pid_t pid = fork();
    if (!pid) {
        execv("/bin/sh", words);
        _exit(127);
    }
    return pid;
}

static pid_t by_vfork(int status)
{
    char *const *words = command(status);
    pid_t pid = vfork();
    if (!pid) {
        burn(); /* on the parent's stack, while the parent waits */
        execv("/bin/sh", words);
        _exit(127);
    }
    return pid;
}

static pid_t by_spawn(int status)
{
    pid_t pid;
    return posix_spawn(&pid, "/bin/sh", NULL, NULL, command(status), environ) ? -1 : pid;
}

static const struct {
    const char *name;
    pid_t (*start)(int status);
} ways[] = {{"fork", by_fork},
            {"fork-that-stays", by_fork_that_stays},
            {"fork+exec", by_fork_and_exec},
            {"vfork+exec", by_vfork},
            {"posix_spawn", by_spawn}};

JNIEXPORT jobjectArray JNICALL Java_NativeChildren_ways(JNIEnv *jni, jclass unused)
{
    jsize count = sizeof ways / sizeof *ways;
    jobjectArray names = (*jni)->NewObjectArray(jni, count, (*jni)->FindClass(jni, "java/lang/String"), NULL);
    for (jsize i = 0; i < count; i++)
        (*jni)->SetObjectArrayElement(jni, names, i, (*jni)->NewStringUTF(jni, ways[i].name));
    return names;
}

JNIEXPORT jint JNICALL Java_NativeChildren_child(JNIEnv *jni, jclass unused, jint way, jint status)
{
    int ended;
    pid_t pid = ways[way].start(status);
    if (pid < 0 || waitpid(pid, &ended, 0) != pid)
        return -1000;
    return WIFSIGNALED(ended) ? -WTERMSIG(ended) : WEXITSTATUS(ended);
}
