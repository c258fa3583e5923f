/* Native code that sets its own handlers for a signal, in every possible way (tests/java/SignalTakers.java), and checks whether
 * everything works as if no other code used the signal. */
#include "base/time_units.h"

#include <jni.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

JNIEXPORT jint JNICALL Java_SignalTakers_ways(JNIEnv *jni, jclass unused);
JNIEXPORT jstring JNICALL Java_SignalTakers_take(JNIEnv *jni, jclass unused, jint way, jint signal);
JNIEXPORT jint JNICALL Java_SignalTakers_once(JNIEnv *jni, jclass unused, jstring how, jint signal);
JNIEXPORT jboolean JNICALL Java_SignalTakers_look(JNIEnv *jni, jclass unused, jint signal);
JNIEXPORT jlong JNICALL Java_SignalTakers_names(JNIEnv *jni, jclass unused);
JNIEXPORT void JNICALL Java_SignalTakers_burn(JNIEnv *jni, jclass unused, jlong ns);
JNIEXPORT void JNICALL Java_SignalTakers_burnDeaf(JNIEnv *jni, jclass unused, jlong ns);

typedef void (*handler)(int);
typedef int action_function(int, const struct sigaction *, struct sigaction *);

/* A function of the C library that its headers do not always declare. */
extern action_function __sigaction;
extern handler bsd_signal(int, handler), ssignal(int, handler), sysv_signal(int, handler), __sysv_signal(int, handler);
extern handler sigset(int, handler);
extern int sigignore(int);

enum { RAISED = 3, BURN_NS = 20 * NS_PER_MS, TIMER_BURN_NS = 100 * NS_PER_MS };

static _Atomic int calls;
static sigset_t blocked; /* in the last call */
static handler last[64];

static void count(int signal)
{
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    calls++;
}

static void burn(long ns)
{
    struct timespec from, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - from.tv_sec) * NS_PER_S + now.tv_nsec - from.tv_nsec < ns);
}

/* ---- ways to set a handler; each returns the previous one ---- */

static handler by_action(action_function *function, int signal, handler next)
{
    struct sigaction sa = {.sa_handler = next}, before = {.sa_handler = SIG_ERR};
    sigaddset(&sa.sa_mask, SIGUSR1);
    return function(signal, &sa, &before) ? SIG_ERR : before.sa_handler;
}

static handler by_sigaction(int signal, handler next)
{
    return by_action(sigaction, signal, next);
}

static handler by_alias(int signal, handler next)
{
    return by_action(__sigaction, signal, next);
}

static handler by_name(int signal, handler next)
{
    return by_action((action_function *)dlsym(RTLD_DEFAULT, "sigaction"), signal, next);
}

static handler by_private_name(int signal, handler next)
{
    return by_action((action_function *)dlvsym(RTLD_DEFAULT, "__libc_sigaction", "GLIBC_PRIVATE"), signal, next);
}

static action_function *const in_data = sigaction;

static handler by_data(int signal, handler next)
{
    action_function *volatile function = in_data;
    return by_action(function, signal, next);
}

static handler by_sigset(int signal, handler next)
{
    handler before = sigset(signal, SIG_HOLD), held = sigset(signal, next);
    return held == SIG_HOLD ? before : SIG_ERR;
}

static handler by_sigignore(int signal, handler next)
{
    handler before = by_sigaction(signal, next);
    return next == SIG_IGN && (by_sigaction(signal, SIG_DFL), sigignore(signal)) ? SIG_ERR : before;
}

static const struct {
    const char *name;
    handler (*set)(int, handler);
    bool masks; /* SIGUSR1, too */
    bool once;
} ways[] = {{"sigaction", by_sigaction, true},
            {"__sigaction", by_alias, true},
            {"dlsym(sigaction)", by_name, true},
            {"dlvsym(__libc_sigaction)", by_private_name, true},
            {"a pointer in data", by_data, true},
            {"signal", signal},
            {"bsd_signal", bsd_signal},
            {"ssignal", ssignal},
            {"sigset", by_sigset},
            {"sigignore", by_sigignore, true},
            {"sysv_signal", sysv_signal, .once = true},
            {"__sysv_signal", __sysv_signal, .once = true}};

static bool is_in_force(int signal, handler wanted)
{
    struct sigaction now;
    return !sigaction(signal, NULL, &now) && now.sa_handler == wanted;
}

/* Returns NULL if everything is right. The handler stays set, and expiries come meanwhile. */
static const char *set_and_burn(int way, int signal, handler next)
{
    int before = calls;
    if (!is_in_force(signal, last[signal]))
        return "what was set last is not in force";
    if (ways[way].set(signal, next) != last[signal])
        return "the handler before is another";
    last[signal] = next;
    if (!is_in_force(signal, next))
        return "what was set is not in force";
    burn(BURN_NS);
    return calls == before ? NULL : "called for nobody's signal";
}

static const char *check_calls(int way, int signal)
{
    int before = calls, wanted = ways[way].once ? 1 : RAISED;
    for (int i = 0; i < wanted; i++)
        raise(signal);
    if (calls != before + wanted)
        return "not called for its signal";
    if (ways[way].masks != sigismember(&blocked, SIGUSR1) || ways[way].once == sigismember(&blocked, signal))
        return "called under another mask";
    if (ways[way].once)
        last[signal] = SIG_DFL;
#if defined(__x86_64__)
    if (signal == SIGTRAP && !ways[way].once) {
        __asm__ volatile("int3");
        return calls == before + wanted + 1 ? NULL : "not called for its breakpoint";
    }
#endif
    return NULL;
}

static const char *check(int way, int signal)
{
    const char *wrong = set_and_burn(way, signal, count);
    wrong = wrong ? wrong : check_calls(way, signal);
    wrong = wrong ? wrong : set_and_burn(way, signal, SIG_IGN);
    return wrong ? wrong : set_and_burn(way, signal, SIG_DFL);
}

/* ---- Java's ---- */

JNIEXPORT jint JNICALL Java_SignalTakers_ways(JNIEnv *jni, jclass unused)
{
    return sizeof ways / sizeof *ways;
}

JNIEXPORT jstring JNICALL Java_SignalTakers_take(JNIEnv *jni, jclass unused, jint way, jint signal)
{
    char text[128];
    const char *wrong = check(way, signal);
    snprintf(text, sizeof text, "%s: %s", ways[way].name, wrong ? wrong : "");
    return wrong ? (*jni)->NewStringUTF(jni, text) : NULL;
}

/* As the kernel defines it; flags, mask and restorer are not needed. */
struct kernel_action {
    handler handler;
    unsigned long words[3];
};

JNIEXPORT jint JNICALL Java_SignalTakers_once(JNIEnv *jni, jclass unused, jstring how, jint signal)
{
    const struct kernel_action none = {SIG_DFL, {0}};
    const struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
    const char *text = (*jni)->GetStringUTFChars(jni, how, NULL);
    int before = calls;
    if (!strcmp(text, "raw")) {
        syscall(SYS_rt_sigaction, signal, &none, NULL, 8);
    } else if (!strcmp(text, "keep")) {
        by_sigaction(signal, last[signal] = count);
    } else if (!strcmp(text, "timer")) {
        by_sigaction(signal, last[signal] = count);
        setitimer(ITIMER_PROF, &often, NULL);
        burn(TIMER_BURN_NS);
        setitimer(ITIMER_PROF, &never, NULL);
    }
    (*jni)->ReleaseStringUTFChars(jni, how, text);
    return calls - before;
}

JNIEXPORT jboolean JNICALL Java_SignalTakers_look(JNIEnv *jni, jclass unused, jint signal)
{
    struct kernel_action now;
    return !syscall(SYS_rt_sigaction, signal, NULL, &now, 8) && now.handler == last[signal];
}

JNIEXPORT jlong JNICALL Java_SignalTakers_names(JNIEnv *jni, jclass unused)
{
    action_function *volatile called = sigaction;
    return (jlong)((uintptr_t)dlsym(RTLD_DEFAULT, "sigaction") ^ (uintptr_t)called << 1);
}

JNIEXPORT void JNICALL Java_SignalTakers_burn(JNIEnv *jni, jclass unused, jlong ns)
{
    burn(ns);
}

/* The thread keeps all signals blocked until it ends. If it unblocked them, the next sample would stand for this time. */
JNIEXPORT void JNICALL Java_SignalTakers_burnDeaf(JNIEnv *jni, jclass unused, jlong ns)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    burn(ns);
}
