/* The watched recording: our own, which is started in the JVM, written to a file that we remove, and ended; or one that already
 * runs, which is left as it is. */
#ifndef CANDOR_CLI_TOP_SOURCE_H
#define CANDOR_CLI_TOP_SOURCE_H

#include "cli/record/recording.h"
#include "cli/session.h"
#include "cli/top/guard.h"
#include "profile/load/live.h"

struct source {
    const struct session *session;
    struct live *live;
    char file[PATH_MAX]; /* what the JVM writes to */
    int fd;              /* of it */
    bool own;
    uint64_t id; /* the agent's number for it; 0 = it has not said one */
    bool keep;   /* the file is not ours to remove */
    struct guard guard;
    char clock[32]; /* or event; what the agent said at the start */
};

/* Joins the recording that runs in the JVM, or begins one: to --output when the options name it, else to a file of its own. CLI_OK or
 * a status, with its line printed. */
int source_open(struct source *s, const struct session *session, struct recording *r, const struct cli_args *args);
/* Copies what was recorded so far into a new file. 0 or a negative code with e; nothing is printed. */
int source_save(const struct source *s, const char *path, uint64_t *bytes, struct error *e);
/* Ends the recording that was started. CLI_OK, or CLI_FAILED with its line printed. */
int source_close(struct source *s);

#endif
