/* How a recording is to be made: the options that `record` and `start` share, and the file. */
#ifndef CANDOR_CLI_RECORDING_H
#define CANDOR_CLI_RECORDING_H

#include "attach/control.h"
#include "attach/process.h"
#include "cli/cli.h"

#include <limits.h>

#define RECORDING_OPTIONS                                                                                               \
    {'e', "event", "EVENT", "cpu", "what to sample (default cpu)"},                                                     \
    {'i', "interval", "TIME", NULL, "CPU time of a thread between two samples (default 10ms)"},                         \
    {'d', "duration", "TIME", NULL, "stop after this time (default: when told, or the JVM ends)"},                      \
    {'o', "output", "FILE", NULL, "the recording (default candor-NAME-DATE-TIME.jfr here)"},                            \
    {0, "clock", "CLOCK", "auto|sigtrap|signal|timer|itimer", "the clock that triggers samples (default auto)"}

struct recording {
    const char *event, *clock; /* NULL = the agent's default */
    unsigned long long interval_ns, duration_ns; /* duration 0 = until told */
    char file[PATH_MAX];       /* absolute */
};

/* Reads and checks the options, but for the file. CLI_OK or CLI_USAGE. */
int recording_read(struct recording *r, const struct cli_args *args);
/* Chooses the file (--output, or a name made of `name` and the time) and checks that the process can write it. */
int recording_choose_file(struct recording *r, const struct cli_args *args, const char *name,
                          const struct process *writer);
/* Adds the options to a request. guard_ns is added to a duration: for who stops the recording himself and wants the agent
 * to do it only should he die. */
void recording_options(const struct recording *r, struct control_request *request, unsigned long long guard_ns);

/* Checks that a process can create or overwrite the file; for `dump` too. Returns 0, or a negative errno with e. */
int recording_check_file(const char *file, const struct process *writer, struct error *e);
/* Makes a path absolute; CLI_OK or a status. */
int recording_absolute(const char *path, char *out, size_t size);

#endif
