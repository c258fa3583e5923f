/* --jfr: adds data of the JDK's own Flight Recorder to Candor's recording. Candor controls that recorder (attach/recorder.h), and appends
 * its data to the agent's in the same file.
 *
 *   record           jdk_recorder_begin -> ... the agent's recording ends -> jdk_recorder_end
 *   start ... stop   jdk_recorder_begin -> jdk_recorder_leave; in another process: jdk_recorder_stop, jdk_recorder_dump
 *
 * If a JVM has no recorder, a line says so, and the agent records without it. Nothing here prevents a recording. */
#ifndef CANDOR_CLI_RECORD_JDK_RECORDER_H
#define CANDOR_CLI_RECORD_JDK_RECORDER_H

#include "attach/recorder.h"
#include "attach/recorder_folder.h"
#include "cli/record/recording.h"
#include "cli/session.h"

struct jdk_recorder {
    const char *mode;               /* "existing" or "on"; NULL = no recording of the JDK is used */
    char name[RECORDER_NAME_BYTES]; /* name of the JDK's recording, or its number */
    struct recorder_folder folder;  /* only for the mode on */
    int64_t begin_ns;               /* since the epoch */
};

/* Starts the JDK's recording that r->jfr requests, and prints a line about its effect on recordings of other tools. If that fails, it
 * sets r->jfr to NULL. guard_ns is added to a duration, as in recording_options. */
void jdk_recorder_begin(struct jdk_recorder *j, const struct session *s, struct recording *r, unsigned long long guard_ns);
/* Does the same for a JVM that is being started: waits until its agent records. If the JVM ends before, or a signal arrives, it returns
 * at once and starts nothing. */
void jdk_recorder_begin_child(struct jdk_recorder *j, const struct session *s, struct recording *r, unsigned long long guard_ns);
/* Does the same for an agent's recording that goes on already; the JDK's recorder joins it. */
void jdk_recorder_join(struct jdk_recorder *j, const struct session *s, struct recording *r, unsigned long long guard_ns);
/* Whether the JDK's recorder has been used in this JVM before, so that its classes are loaded. It asks the operating system only. */
bool jdk_recorder_is_loaded(const struct session *s);
/* Ends the JDK's recording, and appends its data to the agent's recording, which must have ended. If data was lost because the JVM has
 * ended, prints a line about it. Returns CLI_OK, or CLI_FAILED after an error line. */
int jdk_recorder_end(struct jdk_recorder *j, const struct session *s, const char *path);
/* Lets the JDK's recording continue after this process ends. */
void jdk_recorder_leave(struct jdk_recorder *j);
/* Ends the JDK's recording without using its data. */
void jdk_recorder_abandon(struct jdk_recorder *j, const struct session *s);

/* Opens the file of a recording that another process began. The agent's answer to `status` names the file, so this must be called before
 * the recording is stopped. Returns a descriptor or a negative errno. The JVM itself must have the file open for writing; otherwise
 * candor might write to a file to which the JVM has no access. */
int jdk_recorder_open_file(const struct session *s, const struct control_answer *status);
/* Append the data of the JDK's recording. jdk_recorder_stop is called after the agent's answer to `stop`; it appends to the file that
 * was opened above, and closes it. jdk_recorder_dump is called after the answer to `dump`; it appends to the copy at `path`. Both do
 * nothing if the answer names no recording of the JDK. They return CLI_OK, or CLI_FAILED after an error line. */
int jdk_recorder_stop(const struct session *s, const struct control_answer *answer, int file);
int jdk_recorder_dump(const struct session *s, const struct control_answer *answer, const char *path);

#endif
