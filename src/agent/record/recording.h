/* A recording: opens the file, gives the JFR writer the facts about process, machine and settings, flushes, copies and closes.
 *
 * Recordings that run at the same time are parts of a whole, which has no file:
 *
 *   recording_open_whole -> [ recording_open_part ... recording_close ]* -> recording_close_whole
 *
 * The whole has the names that all parts share, and a writer whose events go to all parts at which it is aimed (jfr_tee_aim). Ids of
 * stacks, contexts and virtual threads are valid in one chunk only, so the parts begin their chunks together. Only the collector uses this
 * file. */
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
    struct record_file file; /* its descriptor belongs to the writer */
    struct jfr_writer *writer;
    struct recording *of; /* the whole of which it is a part; NULL = it is not a part */
    struct names names;   /* empty in a part */
    struct keep keep;
    uint64_t start_ticks, start_epoch_ns, chunk_ticks, duration_ns;
    uint32_t without; /* "existing", "on": the JDK's recorder runs, too, and the client appends its chunks to ours; NULL = it does not
                       * run */
    const char
        *jfr; /* "existing" or "on": the JDK's recorder runs, too, and the client appends its chunks to ours; NULL = it does not run */
    char note[RECORDING_NOTE_MAX]; /* a note that each chunk repeats; empty = none */
    struct error error;            /* the first failed write; the rest of the recording is lost */
    bool failed;
    bool refused; /* the recording is given up: when it is closed, the file's previous content stays */
};

/* Opens a recording. path and passed are as in record_file_open: the existing file stays until the first flush. All ticks are
 * CLOCK_MONOTONIC nanoseconds. without: as in the writer's options. */
int recording_open(struct recording *r, const char *path, int passed, uint64_t duration_ns, const struct keep *keep, uint32_t without,
                   struct error *e);
/* Opens a recording that is a part of a whole. */
int recording_open_part(struct recording *r, struct recording *of, const char *path, int passed, uint64_t duration_ns,
                        const struct keep *keep, uint32_t without, struct error *e);
int recording_open_whole(struct recording *r, struct error *e); /* returns 0 or -ENOMEM */
void recording_close_whole(struct recording *r);
static inline struct names *recording_names(struct recording *r)
{
    return r->of ? &r->of->names : &r->names;
}
/* Write the settings, which every chunk repeats. late: the agent was attached to a running JVM. The second function is for the event
 * safepoint. */
void recording_describe(struct recording *r, const struct clock *clock, bool late);
void recording_describe_safepoint(struct recording *r, uint64_t interval_ns, bool late);
/* Writes the settings of a recording without a clock. */
void recording_describe_without_clock(struct recording *r, uint64_t interval_ns, bool late);
/* Writes the events of the recording, such as "cpu,wall". Call it after one of the functions above. */
void recording_describe_events(struct recording *r, const char *events);
/* Writes a note to the user, here and at the beginning of each later chunk, until another note replaces it. */
void recording_note(struct recording *r, const char *text);
/* Writes only the settings of the clock, after it has changed. */
void recording_describe_clock(struct recording *r, const struct clock *clock);
/* Whether recording_flush should be called now. */
bool recording_wants_flush(const struct recording *r);
/* Writes all data up to now to the file. It begins a new chunk if the present one is long enough, and drops old data. Returns true if a new
 * chunk began: the caller must then describe it and, if the recording is limited, write the present books (jfr_write_book_base). */
bool recording_flush(struct recording *r);
/* Do the same for a part. The caller decides whether the part's chunk ends: all chunks end if one of the parts wants that. After all parts
 * have been flushed, a new chunk needs names_new_chunk. */
bool recording_wants_chunk(const struct recording *r);
void recording_flush_part(struct recording *r, bool rotate);
/* Copies the file's content to another file, whose descriptor may be passed. Data that the recording has dropped is left out. It does
 * nothing if the name is empty. Returns 0 or a negative errno, also if the recording itself has failed. */
int recording_dump(const struct recording *r, const char *to, int passed, uint64_t *bytes, struct error *e);
/* Opens a recording again after its writer was left at an arbitrary point. The content at the last flush stays, and a new writer continues
 * after it. The old writer's memory is lost. */
int recording_reopen(struct recording *r, struct error *e);
uint64_t recording_size(const struct recording *r);
/* Returns how many ns the data in the file reach back. */
uint64_t recording_kept_ns(const struct recording *r);
int recording_close(struct recording *r, uint64_t *bytes, struct error *e);
/* Closes a recording that could not be started, and undoes recording_open. */
void recording_abandon(struct recording *r);

#endif
