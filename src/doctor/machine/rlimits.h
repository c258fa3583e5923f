/* Compares resource limits with the needs of a recording: a descriptor for each thread with the perf clocks, and a queued signal for
 * each thread with the thread timer. */
#ifndef CANDOR_DOCTOR_MACHINE_RLIMITS_H
#define CANDOR_DOCTOR_MACHINE_RLIMITS_H

#include "doctor/checkup/checkup.h"
#include "doctor/checkup/identity.h"

#define RLIMITS_UNLIMITED UINT64_MAX

struct rlimits {
    uint64_t files, files_hard, signals, locked_bytes; /* soft limits, except files_hard */
};

/* Parses the text of /proc/PID/limits. Returns 0, or -EINVAL if a limit is missing. */
int rlimits_parse(const char *text, struct rlimits *l);
/* Adds the rows for a process that has `threads` threads and `open_files` descriptors. threads -1: for a JVM that is not yet started. */
void rlimits_judge(struct checkup *f, const struct rlimits *l, int threads, int open_files, long queued_signals);
/* Adds the rows for a process. pid 0: for this process, whose limits a JVM that is started from here would inherit. */
void rlimits_check(struct checkup *f, pid_t pid, const struct identity *who);

#endif
