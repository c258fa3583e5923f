/* Reads what can be known about one JVM without changing it, from /proc, its performance data and its files. */
#ifndef CANDOR_DOCTOR_JVM_TARGET_H
#define CANDOR_DOCTOR_JVM_TARGET_H

#include "attach/jvm.h"
#include "doctor/checkup/identity.h"

struct target {
    pid_t pid;
    struct jvm jvm;
    struct identity who;
    /* The fields below are only set if this process may read the JVM's memory map. */
    struct process_maps maps;
    struct hsperf perf;
    int feature; /* the feature release, such as 17; 0 = unknown */
    bool musl;
    char *arguments; /* the JVM's options, separated by zeros and blanks */
    size_t arguments_len;
};

/* Reads a JVM. Returns 0; -ESRCH: no such process; -ENOEXEC: no JVM; or -ENOMEM. Each of these sets e. The caller must call
 * target_deinit in any case. */
int target_read(struct target *t, pid_t pid, struct error *e);
void target_deinit(struct target *t);
/* Whether -XX:+NAME is given and no later option revokes it. */
bool target_has_flag(const struct target *t, const char *name);
/* Whether an option of the JVM begins with this word. */
bool target_has_option(const struct target *t, const char *word);

#endif
