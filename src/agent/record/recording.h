/* A recording: opens the file, gives the JFR writer the facts about process, machine and settings, flushes, copies and closes.
 *
 * Recordings that run at the same time are parts of a whole, which has no file:
 *
 *   recording_open_whole -> [ recording_open_part ... recording_close ]* -> recording_close_whole
 *
 * The whole has the names that all of them share, and a writer whose events go to all at which it is aimed (jfr_tee_aim). Ids of stacks,
 * contexts and virtual threads are a chunk's, so the parts begin their chunks together. Collector only. */
#ifndef CANDOR_AGENT_RECORD_RECORDING_H
#define CANDOR_AGENT_RECORD_RECORDING_H

#include "agent/record/file.h"
#include "agent/record/keep.h"
#include "agent/record/names/names.h"
#include "agent/trigger/clocks/clock.h"
#include "base/error.h"
#include "jfr/write/writer.h"

#include <stdbool.h>
#include <stdint.h>

enum { RECORDING_PATH_MAX = RECORD_FILE_PATH_MAX, RECORDING_NOTE_MAX = 512 };

struct recording {
    struct record_file file; /* its descriptor is the writer's */
    struct jfr_writer *writer;
    struct recording *of; /* the whole that it is a part of; NULL = it is alone, or the whole */
    struct names names;   /* empty in a part */
    struct keep keep;
    uint64_t start_ticks, start_epoch_ns, chunk_ticks, duration_ns;
    uint32_t without; /* enum jfr_without */
    const char *jfr;  /* "existing", "on": the JDK's recorder beside it, whose chunks the client puts behind ours; NULL = it is alone */
    char note[RECORDING_NOTE_MAX]; /* that each chunk repeats; empty = none */
    struct error error;            /* of the first failed write; the rest of the session is lost */
    bool failed;
    bool refused; /* it is not to be: what stood in its file's place before stays there when it is closed */
};

/* path and passed as in record_file_open: the file that this one replaces stays until the first flush. ticks are CLOCK_MONOTONIC
 * nanoseconds throughout. without: as in the writer's options. */
int recording_open(struct recording *r, const char *path, int passed, uint64_t duration_ns, const struct keep *keep, uint32_t without,
                   struct error *e);
/* The same for a part of a whole. */
int recording_open_part(struct recording *r, struct recording *of, const char *path, int passed, uint64_t duration_ns,
                        const struct keep *keep, uint32_t without, struct error *e);
int recording_open_whole(struct recording *r, struct error *e); /* 0 or -ENOMEM */
void recording_close_whole(struct recording *r);
static inline struct names *recording_names(struct recording *r)
{
    return r->of ? &r->of->names : &r->names;
}
/* Write the settings, which every chunk repeats. late: the agent was attached to a running JVM. The second function is for the event
 * safepoint. */
void recording_describe(struct recording *r, const struct clock *clock, bool late);
void recording_describe_safepoint(struct recording *r, uint64_t interval_ns, bool late);
/* The same for a recording without a clock. */
void recording_describe_without_clock(struct recording *r, uint64_t interval_ns, bool late);
/* Writes the events of the recording, "cpu,wall". Call it after one of the functions above. */
void recording_describe_events(struct recording *r, const char *events);
/* Writes a note to the user, here and at the beginning of each later chunk, until another note replaces it. */
void recording_note(struct recording *r, const char *text);
/* Writes only the settings of the clock, after it has changed. */
void recording_describe_clock(struct recording *r, const struct clock *clock);
/* Whether recording_flush should be called now. */
bool recording_wants_flush(const struct recording *r);
/* Makes the file whole up to now; begins a new chunk when this one is long enough, and drops old data. True if a new chunk began:
 * the caller must then describe it and, if the recording is limited, write the present books (jfr_write_book_base). */
bool recording_flush(struct recording *r);
/* The same for a part, when the caller knows whether its chunk shall end: when any of them wants that. After all have been flushed a new
 * chunk needs names_new_chunk. */
bool recording_wants_chunk(const struct recording *r);
void recording_flush_part(struct recording *r, bool rotate);
/* Copies the file's content, except for data that it has dropped, to another file, passed or not; does nothing for an empty name.
 * 0, or a negative errno, also if the recording itself has failed. */
int recording_dump(const struct recording *r, const char *to, int passed, uint64_t *bytes, struct error *e);
/* For a recording whose writer was left at an arbitrary point: the content at the last flush stays, and a new writer continues
 * after it. The old writer's memory is lost. */
int recording_reopen(struct recording *r, struct error *e);
uint64_t recording_size(const struct recording *r);
/* How far back the data in the file reaches. */
uint64_t recording_kept_ns(const struct recording *r);
int recording_close(struct recording *r, uint64_t *bytes, struct error *e);
/* Closes a recording that could not be started, and undoes recording_open. */
void recording_abandon(struct recording *r);

#endif
