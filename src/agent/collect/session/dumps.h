/* Dumps: the copies that a recording makes of itself when an alarm triggers. This file decides when a recording is copied and to which
 * file, and notes the result.
 *
 *   dumps_begin -> [ dumps_due -> the collector copies the recording to `file` -> dumps_done ]*
 *
 * Their number is bounded, and after each there is a pause without dumps. The agent opens the files itself, with the rights of the JVM's
 * user and in that user's file system; it checks at the beginning whether it can. Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_SESSION_DUMPS_H
#define CANDOR_AGENT_COLLECT_SESSION_DUMPS_H

#include "agent/collect/session/alarm.h"
#include "agent/record/recording.h"
#include "base/error.h"
#include "base/time_units.h"

#include <stdbool.h>
#include <stdint.h>

enum { DUMPS_TEXT_MAX = RECORDING_NOTE_MAX, DUMPS_MAX_DEFAULT = 10 };
#define DUMPS_PAUSE_DEFAULT_NS (300 * NS_PER_S)

struct dumps_options {
    struct alarm_rule rule;          /* no dumps are made if the rule has no text */
    char folder[RECORDING_PATH_MAX]; /* empty = the folder of the recording */
    uint32_t max;
    uint64_t pause_ns; /* 0 = the time that the recording keeps, or five minutes */
};

struct dumps {
    struct dumps_options options;
    struct alarm alarm;
    double processors; /* how many the process may use */
    uint64_t pause_ns, quiet_until;
    char stem[RECORDING_PATH_MAX]; /* the beginning of the dumps' paths: the folder, and the recording's name without its ending */
    uint32_t made, failed;
    char file[RECORDING_PATH_MAX]; /* the last dump's file; the dump may have failed */
    char why[DUMPS_TEXT_MAX];      /* the reason of the last dump, a line for the log */
    char error[DUMPS_TEXT_MAX];    /* the error of the last dump; empty = it was written */
};

/* Begins dumps of an open recording. Returns 0, or a negative errno if there is no folder for them. */
int dumps_begin(struct dumps *d, const struct dumps_options *options, const struct recording *r, struct error *e);
/* Whether the caller must now read the process's CPU clock, and pass it to dumps_due. */
bool dumps_want_look(const struct dumps *d, uint64_t now_ns);
/* Whether to dump now. If so, d->file and d->why are set. */
bool dumps_due(struct dumps *d, uint64_t now_ns, uint64_t cpu_ns);
/* Reports the result of a dump: e is NULL if the file was written. */
void dumps_done(struct dumps *d, uint64_t now_ns, const struct error *e);

#endif
