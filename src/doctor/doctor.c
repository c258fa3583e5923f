#include "doctor/doctor.h"

#include "doctor/clock/clocks.h"
#include "doctor/jvm/attaching.h"
#include "doctor/jvm/runtime.h"
#include "doctor/machine/container.h"
#include "doctor/machine/folder.h"
#include "doctor/machine/kernel.h"
#include "doctor/machine/rlimits.h"
#include "doctor/machine/steal.h"

#include <errno.h>
#include <unistd.h>

static void check_clocks(struct checkup *f, const struct identity *who)
{
    struct steal before = {0}, after = {0};
    bool known = !steal_read(&before);
    f->group = "clocks";
    clocks_check(f, who);
    if (known && !steal_read(&after))
        steal_judge(f, &before, &after);
}

static void check_own_user(struct checkup *f, const struct identity *own)
{
    char user[64];
    process_user_name(own->uid, user, sizeof user);
    checkup_add(f, CHECK_OK, "user", "%s", user);
    checkup_meaning(f, own->uid             ? "reaches the JVMs of this user; for the JVMs of others run it as root"
                       : own->initial_users ? "reaches the JVMs of all users"
                                            : "reaches the JVMs of its user namespace, which is that of a container");
}

void doctor_examine_machine(struct checkup *f)
{
    struct identity own;
    f->group = "machine";
    if (identity_read(0, &own)) {
        checkup_add(f, CHECK_PROBLEM, "/proc", "cannot be read");
        checkup_remedy(f, "mount it");
        return;
    }
    check_own_user(f, &own);
    kernel_check(f, &own);
    container_check(f, 0);
    rlimits_check(f, 0, &own);
    folder_check(f, NULL, &own, true);
    check_clocks(f, &own);
}

/* Adds a row that says with which rights the clocks were tried. The JVM itself sets its clocks, with its own rights, so the check tries
 * them with the same rights if it can take them on. */
static void check_rights(struct checkup *f, const struct target *t, const struct identity *own)
{
    bool same = identity_can_become(&t->who);
    checkup_add(f, same ? CHECK_OK : CHECK_NOTE, "rights",
                same ? "the clocks were tested with the user and the capabilities of the JVM"
                     : "the clocks were tested with the user and the capabilities of candor");
    if (!same) {
        checkup_meaning(f, "the JVM has other ones, so its clocks may differ");
        checkup_remedy(f, "run candor as root");
    }
    if (t->who.seccomp == 2 && own->seccomp != 2) {
        checkup_add(f, CHECK_NOTE, "seccomp of the JVM", "a filter that candor does not have");
        checkup_meaning(f, "it may refuse clocks that worked here; the default filters of containers refuse perf events");
        checkup_remedy(f, "allow perf_event_open there; 'candor status %d' shows the clock of a recording", t->pid);
    }
}

void doctor_examine_process(struct checkup *f, pid_t pid)
{
    struct target t;
    struct identity own;
    struct error e;
    f->group = "process";
    int code = target_read(&t, pid, &e);
    if (code || identity_read(0, &own)) {
        checkup_add(f, CHECK_PROBLEM, "process", "%s", code == -ENOEXEC ? "no JVM" : code ? e.text : "/proc is unreadable");
        checkup_remedy(f, "'candor list' shows the JVMs");
        target_deinit(&t);
        return;
    }
    bool active = attaching_check(f, &t);
    if (!t.jvm.closed) {
        runtime_check(f, &t);
        rlimits_check(f, pid, &t.who);
        folder_check(f, &t.jvm.process, &t.who, !active);
        container_check(f, pid);
        f->group = "machine";
        kernel_check(f, &t.who);
        check_clocks(f, identity_can_become(&t.who) ? &t.who : &own);
        check_rights(f, &t, &own);
    }
    target_deinit(&t);
}
