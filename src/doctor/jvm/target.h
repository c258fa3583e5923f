/* Everything that can be known about one JVM without touching it: from /proc, its performance data and its files. */
#ifndef CANDOR_DOCTOR_JVM_TARGET_H
#define CANDOR_DOCTOR_JVM_TARGET_H

#include "attach/jvm.h"
#include "doctor/checkup/identity.h"

struct target {
    pid_t pid;
    struct jvm jvm;
    struct identity who;
    /* The rest only of a JVM that is not closed to us. */
    struct process_maps maps;
    struct hsperf perf;
    int feature; /* release: 17; 0 when unknown */
    bool musl;
    char *arguments; /* options of the JVM, split by zeros and blanks */
    size_t arguments_len;
};

/* 0; -ESRCH no such process, -ENOEXEC no JVM, -ENOMEM; each with e. target_deinit is due in any case. */
int target_read(struct target *t, pid_t pid, struct error *e);
void target_deinit(struct target *t);
/* True when -XX:+NAME is given, and not taken back. */
bool target_has_flag(const struct target *t, const char *name);
/* Whether an option of the JVM begins with this word. */
bool target_has_option(const struct target *t, const char *word);

#endif
