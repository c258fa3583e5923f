/* The JDK's Flight Recorder in a running JVM, controlled from outside with its diagnostic commands. The agent calls no Java for
 * this; the JVM does what its owner could have requested with jcmd.
 *
 *   recorder_check -> recorder_start -> recorder_dump ... -> recorder_stop
 *
 * The functions that ask the JVM return 0, or with e: -ENOSYS it has no Flight Recorder, -ENOENT it has no such recording,
 * -EREMOTEIO it refused, with its own message in e; otherwise the result of attach_command. Their texts are the second half of
 * a line. */
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
    char name[RECORDER_NAME_BYTES]; /* cut where it is longer */
    bool running;
};

struct recorder_list {
    struct recorder_recording list[RECORDER_LIST_MAX]; /* the first ones, by their number */
    unsigned count;
};

/* Bounds of a recording, bytes in whole KiB; 0 = none. */
struct recorder_bounds {
    uint64_t duration_ns, age_ns, bytes;
};

/* Lists the recordings of the JDK's recorder. It does not start the recorder: a JVM that never used it answers that there are none. */
int recorder_check(pid_t pid, uint64_t timeout_ns, struct recorder_list *out, struct error *e);
/* Parses the text of the JVM's answer. 0 or -ENOSYS. */
int recorder_parse_check(const char *text, struct recorder_list *out, struct error *e);

/* Begins a recording with the settings in a file. The JVM writes it to another file when the recording or the JVM ends. Both paths
 * are as the JVM sees them. Names and paths have neither blanks nor quotes. */
int recorder_start(pid_t pid, uint64_t timeout_ns, const char *name, const char *settings, const char *file,
                   const struct recorder_bounds *bounds, struct error *e);
/* Writes the data of a recording, given by name or number, from begin_ns (since the epoch; 0 = all) on. The recording continues. */
int recorder_dump(pid_t pid, uint64_t timeout_ns, const char *name, const char *file, int64_t begin_ns, struct error *e);
/* Ends it; its file is written when this returns 0. -EALREADY: it has ended by itself, and its file is whole once recorder_check does not
 * list it any more. */
int recorder_stop(pid_t pid, uint64_t timeout_ns, const char *name, struct error *e);

/* Judges the text of the JVM's answer to one of these three commands. After success the text contains `done`. 0, -ENOENT or
 * -EREMOTEIO. */
int recorder_judge(const char *text, const char *done, struct error *e);

#endif
