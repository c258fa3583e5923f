/* The content of one chunk of a recording: samples, and notes on everything that depends on earlier chunks. Its ids are those of the
 * profile of the thread that read it. load_events.c writes the part. load_whole.c adds the parts to the profile of the file, in the
 * chunks' order.
 *
 * A part contains only the best source of samples in the chunk. It has one owner and no locking. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_PART_H
#define CANDOR_PROFILE_LOAD_LOAD_PART_H

#include "jfr/read/reader.h"
#include "profile/profile.h"

/* The sources of samples, the rows of profile_sources. Better sources come later. */
#define LOAD_RANK(symbol, ...) LOAD_##symbol,
enum load_rank { LOAD_NOTHING, PROFILE_SOURCE_ROWS(LOAD_RANK) LOAD_RANKS };

enum load_note_kind {
    LOAD_THREAD_NAME,     /* a = thread, b = name: the thread has this name from now on */
    LOAD_VIRTUAL_THREAD,  /* a = thread, x = Java's id or 0: a virtual thread that `thread` represents */
    LOAD_THREAD_BASE,     /* like LOAD_THREAD_CPU, at the chunk's beginning: counts only in the file's first chunk */
    LOAD_THREAD_CPU,      /* a = thread, x = the agent's number of the thread, y = its CPU time so far */
    LOAD_BOOK,            /* a = account, b = reason, x = ns, y = count */
    LOAD_BOOK_BASE,       /* like LOAD_BOOK, at the chunk's beginning: counts only in the file's first chunk */
    LOAD_SETTING,         /* a = name, b = value */
    LOAD_LOG,             /* a = level, b = text */
    LOAD_JVM,             /* a = version, b = arguments, x = pid */
    LOAD_PERIOD,          /* a = rank, x = ns: the period between samples of this rank */
    LOAD_CPU_TIME_WEIGHT, /* x = ns, the weight of a sample: the period is not longer than this */
    LOAD_EVENT_TYPE,      /* a = name, x = count, y = kinds (bits): number of events of a type that has a stack */
};

struct load_note {
    enum load_note_kind kind;
    uint32_t a, b;
    uint64_t x, y;
    int64_t time_ns; /* for LOAD_BOOK */
};

/* A call of malloc, or of free. */
struct load_block {
    struct profile_sample sample; /* for free only the time is set */
    uint64_t address;
    bool is_free;
};

struct load_part {
    struct jfr_chunk_info info;
    bool by_candor;                 /* Candor's agent wrote the chunk */
    enum load_rank rank;            /* the rank of the samples */
    uint32_t kinds;                 /* bits: the kinds of sample in the chunk */
    struct profile_sample *samples; /* the weight of a sample that represents periods is their number */
    uint32_t sample_count, sample_cap;
    struct profile_object *objects; /* for the kind PROFILE_LIVE: instead of samples, as are live_sets */
    uint32_t object_count, object_cap;
    struct profile_live_set *live_sets;
    uint32_t live_set_count, live_set_cap;
    struct load_block *blocks; /* for the kind PROFILE_NATIVELEAK: instead of samples */
    uint32_t block_count, block_cap;
    struct load_note *notes; /* in the order of their events */
    uint32_t note_count, note_cap;
    uint64_t cpu_samples, execution_samples, safepoint_samples, allocation_samples; /* events, whether they count as samples or not */
    uint64_t native_samples, lost_samples;
};

/* Empties a part for another chunk, and keeps the memory. A part begins as {0}. */
void load_part_reset(struct load_part *part);
void load_part_deinit(struct load_part *part);
int load_part_sample(struct load_part *part, const struct profile_sample *sample);  /* 0 or -ENOMEM */
int load_part_object(struct load_part *part, const struct profile_object *object);  /* 0 or -ENOMEM */
int load_part_block(struct load_part *part, const struct load_block *block);        /* 0 or -ENOMEM */
int load_part_live_set(struct load_part *part, const struct profile_live_set *set); /* 0 or -ENOMEM */
int load_part_note(struct load_part *part, struct load_note note);                  /* 0 or -ENOMEM */

#endif
