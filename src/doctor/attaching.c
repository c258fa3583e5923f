#include "doctor/attaching.h"

#include "attach/control.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_NS 3000000000ull

enum { WARNS_SINCE = 21 }; /* JEP 451 */

static void describe_agent(struct findings *f, const struct control_answer *answer)
{
    const char *version = control_text(answer, "version"), *state = control_text(answer, "state");
    bool same = version && !strcmp(version, CANDOR_VERSION);
    findings_add(f, same ? FINDING_OK : FINDING_WARNING, "agent", "version %.40s, %s", version ? version : "unknown",
                 state && !strcmp(state, "running") ? "recording" : "idle");
    if (!same) {
        findings_meaning(f, "this program is %s; a loaded agent stays until the JVM ends", CANDOR_VERSION);
        findings_remedy(f, "use candor of the agent's version, or restart the JVM");
    }
}

/* True when it answers, so that nothing has to be loaded. */
static bool check_agent(struct findings *f, const struct target *t)
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
        findings_add(f, FINDING_OK, "agent", t->jvm.agent ? "asleep since its last recording ended" : "not loaded");
    } else {
        findings_add(f, FINDING_PROBLEM, "agent", "does not answer");
        findings_meaning(f, "%s", e.text);
        findings_remedy(f, "continue or restart the JVM");
    }
    return !code;
}

static void check_attach(struct findings *f, const struct target *t)
{
    const struct jvm *jvm = &t->jvm;
    if (jvm->process.state == 'T' || jvm->process.state == 't') {
        findings_add(f, FINDING_PROBLEM, "attach", "the process is stopped");
        findings_meaning(f, "it cannot answer");
        findings_remedy(f, "kill -CONT %d", t->pid);
    } else if (jvm->attach_disabled) {
        findings_add(f, FINDING_PROBLEM, "attach", "disabled (-XX:+DisableAttachMechanism)");
        findings_remedy(f, "start the JVM without that option, or with -agentpath:.../libcandor.so");
    } else if (!jvm->process.catches_quit) {
        findings_add(f, FINDING_PROBLEM, "attach", "SIGQUIT has no handler");
        findings_meaning(f, "the JVM is still starting, or runs with -Xrs; the signal would kill it");
        findings_remedy(f, "try again, or start the JVM without -Xrs or with -agentpath:.../libcandor.so");
    } else {
        findings_add(f, FINDING_OK, "attach", "nothing forbids it");
    }
}

static void check_loading(struct findings *f, const struct target *t)
{
    const struct jvm *jvm = &t->jvm;
    if (jvm->loading_refused) {
        findings_add(f, FINDING_PROBLEM, "agent loading", "refused (-XX:-EnableDynamicAgentLoading)");
        findings_remedy(f, "start the JVM with -XX:+EnableDynamicAgentLoading, or with -agentpath:.../libcandor.so");
    } else if (t->feature >= WARNS_SINCE && !target_has_flag(t, "EnableDynamicAgentLoading") && !jvm->agent) {
        findings_add(f, FINDING_NOTE, "agent loading", "allowed, with a warning");
        findings_meaning(f, "this JVM prints some lines on its standard error when an agent is loaded at run time (JEP 451)");
        findings_remedy(f, "start it with -XX:+EnableDynamicAgentLoading to have it silent");
    } else {
        findings_add(f, FINDING_OK, "agent loading", "allowed");
    }
}

static void check_user(struct findings *f, const struct target *t)
{
    const struct process *p = &t->jvm.process;
    bool allowed = p->uid == geteuid() || geteuid() == 0;
    findings_add(f, allowed && !t->jvm.closed ? FINDING_OK : FINDING_PROBLEM, "user", "%.100s, user %s",
                 *t->jvm.main ? t->jvm.main : "a JVM", t->jvm.user);
    if (!allowed) {
        findings_meaning(f, "a JVM lets only its own user and root attach");
        findings_remedy(f, "run candor as user '%s' or as root", t->jvm.user);
    } else if (t->jvm.closed) {
        findings_meaning(f, "its memory map is closed to us: it has capabilities that we lack, or a security module forbids it");
        findings_remedy(f, "run candor as root with CAP_SYS_PTRACE");
    }
}

void attaching_check(struct findings *f, const struct target *t)
{
    check_user(f, t);
    if (t->jvm.closed)
        return;
    if (check_agent(f, t)) {
        findings_add(f, FINDING_OK, "attach", "not needed, the agent is active");
        return;
    }
    check_attach(f, t);
    check_loading(f, t);
}
