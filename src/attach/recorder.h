/* Controls the JDK's Flight Recorder in a running JVM from outside, with the JVM's diagnostic commands. The agent calls no Java for this:
 * the JVM's owner could request the same with jcmd.
 *
 *   recorder_check -> recorder_start -> recorder_dump ... -> recorder_stop
 *
 * The functions that ask the JVM return 0, or with e: -ENOSYS the JVM has no Flight Recorder, -ENOENT it has no such recording, -EREMOTEIO
 * it refused, with its own message in e, or another error of attach_command. The texts in e are the second half of a line. */
#ifndef CANDOR_ATTACH_RECORDER_H
#define CANDOR_ATTACH_RECORDER_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RECORDER_LIST_MAX = 32, RECORDER_NAME_BYTES = 80 };

/* One of the JVM's recordings, from any owner. */
struct recorder_recording {
    unsigned long id;
    char name[RECORDER_NAME_BYTES]; /* longer names are cut */
    bool running;
};

struct recorder_list {
    struct recorder_recording list[RECORDER_LIST_MAX]; /* the first ones, in order of id */
    unsigned count;
};

/* Limits of a recording. The JVM gets bytes in whole KiB. 0 = none. */
struct recorder_bounds {
    uint64_t duration_ns, age_ns, bytes;
};

/* Lists the recordings of the JDK's recorder. It does not start the recorder: a JVM that has never used the recorder answers that there are
 * no recordings. */
int recorder_check(pid_t pid, uint64_t timeout_ns, struct recorder_list *out, struct error *e);
/* Parses the text of the JVM's answer. 0 or -ENOSYS. */
int recorder_parse_check(const char *text, struct recorder_list *out, struct error *e);

/* Begins a recording with the settings in a file. The JVM writes the data to `file` when the recording or the JVM ends. Both paths are as
 * the JVM sees them. Names and paths must contain neither blanks nor quotes. */
int recorder_start(pid_t pid, uint64_t timeout_ns, const char *name, const char *settings, const char *file,
                   const struct recorder_bounds *bounds, struct error *e);
/* Writes the data of a recording, given by name or number, from begin_ns (since the epoch; 0 = all) on. The recording continues. */
int recorder_dump(pid_t pid, uint64_t timeout_ns, const char *name, const char *file, int64_t begin_ns, struct error *e);
/* Ends the recording. Its file is complete when this returns 0. -EALREADY: the recording has ended by itself, and its file is complete when
 * recorder_check no longer lists it. */
int recorder_stop(pid_t pid, uint64_t timeout_ns, const char *name, struct error *e);

/* Judges the text of the JVM's answer to start, dump or stop. After success the text contains `done`. Returns 0, -ENOENT or -EREMOTEIO. */
int recorder_judge(const char *text, const char *done, struct error *e);

#endif
