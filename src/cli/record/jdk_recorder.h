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

/* Starts the recording that r->jfr requests, with a line about its effect on recordings of others, or sets r->jfr to NULL.
 * guard_ns is added to a duration, as in recording_options. */
void jdk_recorder_begin(struct jdk_recorder *j, const struct session *s, struct recording *r, unsigned long long guard_ns);
/* The same of a JVM that is being started, once its agent records; at once, and nothing, where it ends before or a signal comes. */
void jdk_recorder_begin_child(struct jdk_recorder *j, const struct session *s, struct recording *r, unsigned long long guard_ns);
/* Ends it, and puts what it recorded behind the recording, which must have ended. A line says what was lost because the JVM has ended.
 * CLI_OK, or CLI_FAILED after a line. */
int jdk_recorder_end(struct jdk_recorder *j, const struct session *s, const char *path);
/* It goes on without us. */
void jdk_recorder_leave(struct jdk_recorder *j);
/* Ends it without taking its data. */
void jdk_recorder_abandon(struct jdk_recorder *j, const struct session *s);

/* Of a recording that another process began, whose file only the JVM names, by the agent's answer to `status`, before it is stopped:
 * the file, open, or a negative errno. It is one that the JVM itself has open for writing: what it could not write to is not written to
 * for it. */
int jdk_recorder_open_file(const struct session *s, const struct control_answer *status);
/* By the agent's answer to `stop`, with that file, which is closed, and to `dump` to a file of ours: nothing where it tells of no recorder.
 * CLI_OK, or CLI_FAILED after a line. */
int jdk_recorder_stop(const struct session *s, const struct control_answer *answer, int file);
int jdk_recorder_dump(const struct session *s, const struct control_answer *answer, const char *path);

#endif
