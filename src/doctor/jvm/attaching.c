#include "doctor/jvm/attaching.h"

#include "attach/attach.h"
#include "attach/control.h"
#include "base/time_units.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_NS (3 * NS_PER_S)

enum { WARNS_SINCE = 21 }; /* JEP 451: since this release, a JVM warns when an agent is loaded while it runs */

static void describe_agent(struct checkup *f, const struct control_answer *answer)
{
    const char *version = control_text(answer, "version"), *state = control_text(answer, "state");
    bool same = version && !strcmp(version, CANDOR_VERSION);
    checkup_add(f, same ? CHECK_OK : CHECK_WARNING, "agent", "version %.40s, %s", version ? version : "unknown",
                state && !strcmp(state, "running") ? "recording" : "idle");
    if (!same) {
        checkup_meaning(f, "this program is %s; a loaded agent stays until the JVM ends", CANDOR_VERSION);
        checkup_remedy(f, "use candor of the agent's version, or restart the JVM");
    }
}

/* Asks the agent for its status. Returns true if it answers, so that no agent has to be loaded. */
static bool check_agent(struct checkup *f, const struct target *t)
{
    struct control_request request;
    struct control_answer answer;
    struct error e;
    control_begin(&request, "status");
    int code = control_send(t->pid, &request, PATIENCE_NS, &answer, &e);
    if (!code) {
        describe_agent(f, &answer);
        control_answer_free(&answer);
    } else if (code == -ENOENT) {
        checkup_add(f, CHECK_OK, "agent", t->jvm.agent ? "asleep since its last recording ended" : "not loaded");
    } else {
        checkup_add(f, CHECK_PROBLEM, "agent", "does not answer");
        checkup_meaning(f, "%s", e.text);
        checkup_remedy(f, code == -ENOTCONN ? "start the JVM with a /tmp or a /dev/shm that it can write to" : "restart the JVM");
    }
    return !code;
}

/* Adds a row if the process is stopped, because a stopped JVM answers no request. Returns whether it is stopped. */
static bool check_stopped(struct checkup *f, const struct target *t)
{
    bool traced = t->jvm.process.state == 't';
    if (t->jvm.process.state != 'T' && !traced)
        return false;
    checkup_add(f, CHECK_PROBLEM, "attach", traced ? "the process is stopped by a debugger" : "the process is stopped");
    checkup_meaning(f, "it cannot answer");
    if (traced)
        checkup_remedy(f, "continue it in the debugger, or detach the debugger");
    else
        checkup_remedy(f, "kill -CONT %d", t->pid);
    return true;
}

static void check_attach(struct checkup *f, const struct target *t)
{
    const struct jvm *jvm = &t->jvm;
    uid_t owner;
    char name[64];
    if (attach_is_taken(&jvm->process, &owner)) {
        checkup_add(f, CHECK_PROBLEM, "attach", "the JVM's socket would be /tmp/.java_pid%d, where there is a file of user '%s'",
                    jvm->process.inner_pid, process_user_name(owner, name, sizeof name));
        checkup_meaning(f, "the JVM cannot open its socket there, and candor cannot trust the file");
        checkup_remedy(f, "have that user or root remove it, or start the JVM with -agentpath:.../libcandor.so");
    } else if (jvm->attach_disabled) {
        checkup_add(f, CHECK_PROBLEM, "attach", "disabled (-XX:+DisableAttachMechanism)");
        checkup_remedy(f, "start the JVM without that option, or with -agentpath:.../libcandor.so");
    } else if (!jvm->process.catches_quit && attach_is_open(&jvm->process, PATIENCE_NS)) {
        checkup_add(f, CHECK_OK, "attach", "its socket is open, as with -Xrs");
    } else if (!jvm->process.catches_quit) {
        checkup_add(f, CHECK_PROBLEM, "attach", "there is no handler for SIGQUIT, and no open socket");
        checkup_meaning(f, "the JVM is still starting, or it runs with -Xrs and its /tmp/.java_pid%d was removed; the signal would kill it",
                        jvm->process.inner_pid);
        checkup_remedy(f, "try again, or start the JVM with -agentpath:.../libcandor.so");
    } else {
        checkup_add(f, CHECK_OK, "attach", "nothing forbids it");
    }
}

static void check_loading(struct checkup *f, const struct target *t)
{
    const struct jvm *jvm = &t->jvm;
    if (jvm->loading_refused) {
        checkup_add(f, CHECK_PROBLEM, "agent loading", "refused (-XX:-EnableDynamicAgentLoading)");
        checkup_remedy(f, "start the JVM with -XX:+EnableDynamicAgentLoading, or with -agentpath:.../libcandor.so");
    } else if (t->feature >= WARNS_SINCE && !target_has_flag(t, "EnableDynamicAgentLoading") && !jvm->agent) {
        checkup_add(f, CHECK_NOTE, "agent loading", "allowed, with a warning");
        checkup_meaning(f, "this JVM prints some lines on its standard error when an agent is loaded at run time (JEP 451)");
        checkup_remedy(f, "start it with -XX:+EnableDynamicAgentLoading to suppress them");
    } else {
        checkup_add(f, CHECK_OK, "agent loading", "allowed");
    }
}

static void check_user(struct checkup *f, const struct target *t)
{
    const struct process *p = &t->jvm.process;
    bool allowed = p->uid == geteuid() || geteuid() == 0;
    checkup_add(f, allowed && !t->jvm.closed ? CHECK_OK : CHECK_PROBLEM, "user", "%.100s, user %s", *t->jvm.main ? t->jvm.main : "a JVM",
                t->jvm.user);
    if (!allowed) {
        checkup_meaning(f, "a JVM lets only its own user and root attach");
        checkup_remedy(f, "run candor as user '%s' or as root", t->jvm.user);
    } else if (t->jvm.closed) {
        checkup_meaning(f,
                        "candor may not read its memory map: the JVM has capabilities that candor lacks, or a security module forbids it");
        checkup_remedy(f, "run candor as root with CAP_SYS_PTRACE");
    }
}

/* Adds a row if two copies of the agent are loaded. An earlier version may have left one. The copy that begins first records. */
static void check_copies(struct checkup *f, const struct target *t)
{
    const char *one = t->maps.agents[0], *other = t->maps.agents[1];
    if (!*other)
        return;
    checkup_add(f, CHECK_NOTE, "copies", "two copies of the agent are loaded: %.90s, %.90s", one, other);
    checkup_meaning(f, "only one of them can record at a time");
    checkup_remedy(f, "load the agent from one file: use one -agentpath, with the libcandor.so that belongs to this candor");
}

bool attaching_check(struct checkup *f, const struct target *t)
{
    check_user(f, t);
    if (t->jvm.closed || check_stopped(f, t))
        return false;
    check_copies(f, t);
    if (check_agent(f, t)) {
        checkup_add(f, CHECK_OK, "attach", "not needed, the agent is active");
        return true;
    }
    check_attach(f, t);
    check_loading(f, t);
    return false;
}
