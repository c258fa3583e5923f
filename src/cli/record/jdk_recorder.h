/* --jfr: data of the JDK's own Flight Recorder beside our recording. It is controlled from here (attach/recorder.h), and its
 * data is appended to ours in the same file.
 *
 *   record           jdk_recorder_begin -> ... the agent's recording ends -> jdk_recorder_end
 *   start ... stop   jdk_recorder_begin -> jdk_recorder_leave; of another process: jdk_recorder_stop, jdk_recorder_dump
 *
 * If a JVM has no recorder, it is recorded without it, after a line that says so: nothing here prevents a recording. */
#ifndef CANDOR_CLI_RECORD_JDK_RECORDER_H
#define CANDOR_CLI_RECORD_JDK_RECORDER_H

#include "attach/recorder.h"
#include "attach/recorder_folder.h"
#include "cli/record/recording.h"
#include "cli/session.h"

struct jdk_recorder {
    const char *mode;               /* "existing", "on"; NULL = nothing goes on */
    char name[RECORDER_NAME_BYTES]; /* of the JDK's recording, or its number */
    struct recorder_folder folder;  /* of the mode on */
    int64_t begin_ns;               /* since the epoch */
};

/* Starts the JDK's recording that r->jfr requests, and prints a line about its effect on recordings of other tools. If it cannot, it
 * sets r->jfr to NULL. guard_ns is added to a duration, as in recording_options. */
void jdk_recorder_begin(struct jdk_recorder *j, const struct session *s, struct recording *r, unsigned long long guard_ns);
/* The same for a JVM that is being started: waits until its agent records. If the JVM ends before, or a signal comes, it returns at
 * once and does nothing. */
void jdk_recorder_begin_child(struct jdk_recorder *j, const struct session *s, struct recording *r, unsigned long long guard_ns);
/* Ends the JDK's recording, and appends its data to ours, which must have ended. If data was lost because the JVM has ended, a line
 * says so. CLI_OK, or CLI_FAILED after a line. */
int jdk_recorder_end(struct jdk_recorder *j, const struct session *s, const char *path);
/* Lets the JDK's recording continue without us. */
void jdk_recorder_leave(struct jdk_recorder *j);
/* Ends it without taking its data. */
void jdk_recorder_abandon(struct jdk_recorder *j, const struct session *s);

/* Opens the file of a recording that another process began. The agent's answer to `status` names the file, so call it before the
 * recording is stopped. Returns a descriptor or a negative errno. The JVM itself must have the file open for writing, so that we
 * write to no file on the JVM's behalf to which it has no access. */
int jdk_recorder_open_file(const struct session *s, const struct control_answer *status);
/* Append the data of the JDK's recording: after the agent's answer to `stop`, to the file opened above, which is then closed; after
 * the answer to `dump`, to a file of ours. They do nothing if the answer names no recording of the JDK. CLI_OK, or CLI_FAILED after a
 * line. */
int jdk_recorder_stop(const struct session *s, const struct control_answer *answer, int file);
int jdk_recorder_dump(const struct session *s, const struct control_answer *answer, const char *path);

#endif
