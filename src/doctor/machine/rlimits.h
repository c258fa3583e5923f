/* Resource limits compared with the needs of a recording: one descriptor per thread with the perf clocks, one queued signal per
 * thread with the thread timer. */
#ifndef CANDOR_DOCTOR_MACHINE_RLIMITS_H
#define CANDOR_DOCTOR_MACHINE_RLIMITS_H

#include "doctor/checkup/checkup.h"
#include "doctor/checkup/identity.h"

#define RLIMITS_UNLIMITED UINT64_MAX

struct rlimits {
    uint64_t files, files_hard, signals, locked_bytes; /* soft but for files_hard */
};

/* Parses the text of /proc/PID/limits; 0, or -EINVAL when one of them is missing. */
int rlimits_parse(const char *text, struct rlimits *l);
/* Rows for a process of `threads` threads and `open_files` descriptors; -1 threads: none in particular. */
void rlimits_judge(struct checkup *f, const struct rlimits *l, int threads, int open_files, long queued_signals);
/* The same of a process, or of ourselves with pid 0: what a JVM started from here would get. */
void rlimits_check(struct checkup *f, pid_t pid, const struct identity *who);

#endif
