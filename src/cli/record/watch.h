/* Watches a recording until it ends, and shows the result. Shared by `record PID` and `record -- COMMAND`. */
#ifndef CANDOR_CLI_RECORD_WATCH_H
#define CANDOR_CLI_RECORD_WATCH_H

#include "base/time_units.h"
#include "cli/record/recording.h"
#include "cli/session.h"

/* The agent ends a recording by itself this much after the duration, should its client have died. */
#define WATCH_GUARD_NS (10 * NS_PER_S)

enum watch_end {
    WATCH_TIME,        /* the duration is over */
    WATCH_INTERRUPTED, /* a signal asked us to end */
    WATCH_EXITED,      /* the process ended, and the recording with it */
    WATCH_STOPPED,     /* somebody else stopped the recording */
    WATCH_FAILED,      /* it cannot be written any more */
};

/* Returns when the recording should be ended, or has ended. Shows progress on a terminal when asked to. */
enum watch_end watch_recording(const struct session *s, const struct recording *r, bool show_progress);
/* Ends the recording after watch_recording: stops the agent's recording if necessary, and prints the result. CLI_OK, or CLI_FAILED
 * with a message if the recording is not whole. */
int watch_finish(const struct session *s, const struct recording *r, enum watch_end end);
/* Reports that a process has ended, and how, if it did not end normally. CLI_OK, or CLI_FAILED if it was killed. */
int watch_say_ended(const struct session *s, const char *file);
/* Prints the short report (unless --no-report), writes the flame graph beside the recording, prints both paths. */
int watch_show(const struct recording *r, const struct cli_args *args);

#endif
