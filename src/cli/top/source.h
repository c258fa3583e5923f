/* The recording that candor top watches. It is either candor's own, which it starts in the JVM, lets write to a temporary file, and
 * ends; or one that already runs, which it leaves as it is. */
#ifndef CANDOR_CLI_TOP_SOURCE_H
#define CANDOR_CLI_TOP_SOURCE_H

#include "cli/record/recording.h"
#include "cli/session.h"
#include "cli/top/guard.h"
#include "profile/load/live.h"

struct source {
    const struct session *session;
    struct live *live;
    char file[PATH_MAX]; /* the file that the JVM writes */
    int fd;              /* descriptor of `file` */
    bool own;
    uint64_t id; /* the agent's number for the recording; 0 = the agent has not sent one */
    bool keep;   /* do not remove the file at the end */
    struct guard guard;
    char clock[32]; /* the clock or the event, as the agent named it at the start */
};

/* Joins a recording that runs in the JVM, or begins one. It is written to --output if the options name it, else to a temporary file.
 * Returns CLI_OK, or a status after printing an error. */
int source_open(struct source *s, const struct session *session, struct recording *r, const struct cli_args *args);
/* Copies the data recorded so far into a new file. Returns 0, or a negative code with e. Prints nothing. */
int source_save(const struct source *s, const char *path, uint64_t *bytes, struct error *e);
/* Ends the recording if candor started it. Returns CLI_OK, or CLI_FAILED after printing an error. */
int source_close(struct source *s);

#endif
