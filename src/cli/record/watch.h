/* Watches a recording until it ends, and shows the result. `record PID` and `record -- COMMAND` use it. */
#ifndef CANDOR_CLI_RECORD_WATCH_H
#define CANDOR_CLI_RECORD_WATCH_H

#include "base/time_units.h"
#include "cli/record/recording.h"
#include "cli/session.h"

/* If the client has died, the agent ends a recording by itself this long after the duration. */
#define WATCH_GUARD_NS (10 * NS_PER_S)
/* A recording that the JDK's recorder joins (recording.h) may become this much longer. */
#define WATCH_JOIN_NS (70 * NS_PER_S)

enum watch_end {
    WATCH_TIME,        /* the duration is over */
    WATCH_LOOK,        /* the time until the look (recording.h) is over; the recording goes on */
    WATCH_INTERRUPTED, /* a signal asked candor to end */
    WATCH_EXITED,      /* the process ended, and with it the recording */
    WATCH_STOPPED,     /* another client stopped the recording */
    WATCH_FAILED,      /* the recording's file cannot be written any more */
};

/* Returns when the recording must be ended, or has ended. Shows progress on a terminal if show_progress is set. */
enum watch_end watch_recording(const struct session *s, const struct recording *r, bool show_progress);
/* Ends the recording after watch_recording: stops the agent's recording if necessary, and prints the result. Returns CLI_OK, or
 * CLI_FAILED after a message if the recording is not complete. */
int watch_finish(const struct session *s, const struct recording *r, enum watch_end end);
/* Prints that a process has ended, and how, if it did not end normally. Returns CLI_OK, or CLI_FAILED if it was killed. */
int watch_say_ended(const struct session *s, const char *file);
/* Prints the short report (unless --no-report), writes the flame graph next to the recording, and prints both paths. Returns an exit
 * status. */
int watch_show(const struct recording *r, const struct cli_args *args);
/* Names a page next to the recording: its name without ".jfr", and with this ending. */
void watch_page_beside(const char *file, const char *ending, char *out, size_t size);

#endif
