/* The content of one chunk of a recording, in the ids of the profile of the thread that read it: samples, and notes on
 * everything that depends on earlier chunks. load_events.c writes it, load_whole.c takes it into the profile of the file, in
 * the chunks' order.
 *
 * It contains only the best kind of samples in the chunk. One owner, no locking. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_PART_H
#define CANDOR_PROFILE_LOAD_LOAD_PART_H

#include "jfr/read/reader.h"
#include "profile/profile.h"

/* Where samples come from, better ones last: the rows of profile_sources. */
#define LOAD_RANK(symbol, ...) LOAD_##symbol,
enum load_rank { LOAD_NOTHING, PROFILE_SOURCE_ROWS(LOAD_RANK) LOAD_RANKS };

enum load_note_kind {
    LOAD_THREAD_NAME,     /* a = thread, b = name: it has that one from here on */
    LOAD_VIRTUAL_THREAD,  /* a = thread, x = Java's id or 0: one of those it stands for */
    LOAD_THREAD_BASE,     /* as the next, of where the chunk begins: counts in the file's first alone */
    LOAD_THREAD_CPU,      /* a = thread, x = its number by the agent, y = CPU time of it until here */
    LOAD_BOOK,            /* a = account, b = reason, x = ns, y = count */
    LOAD_BOOK_BASE,       /* the same of where the chunk begins: counts in the file's first alone */
    LOAD_SETTING,         /* a = name, b = value */
    LOAD_LOG,             /* a = level, b = text */
    LOAD_JVM,             /* a = version, b = arguments, x = pid */
    LOAD_PERIOD,          /* a = rank, x = ns: what its samples are a period apart */
    LOAD_CPU_TIME_WEIGHT, /* x = ns, of a sample: the period is no longer than this */
    LOAD_EVENT_TYPE,      /* a = name, x = count, y = kinds (bits): events that show a stack */
};

struct load_note {
    enum load_note_kind kind;
    uint32_t a, b;
    uint64_t x, y;
    int64_t time_ns; /* of LOAD_BOOK */
};

/* A call of malloc, or of free. */
struct load_block {
    struct profile_sample sample; /* of free only its time */
    uint64_t address;
    bool is_free;
};

struct load_part {
    struct jfr_chunk_info info;
    bool by_candor;                 /* the chunk is of our agent */
    enum load_rank rank;            /* of the samples */
    uint32_t kinds;                 /* bits: what the chunk has samples of */
    struct profile_sample *samples; /* those that stand for periods weigh their number */
    uint32_t sample_count, sample_cap;
    struct profile_object *objects; /* of the kind PROFILE_LIVE, in place of samples, as are the next */
    uint32_t object_count, object_cap;
    struct profile_live_set *live_sets;
    uint32_t live_set_count, live_set_cap;
    struct load_block *blocks; /* of the kind PROFILE_NATIVELEAK, in place of samples */
    uint32_t block_count, block_cap;
    struct load_note *notes; /* in the order of their events */
    uint32_t note_count, note_cap;
    uint64_t cpu_samples, execution_samples, safepoint_samples, allocation_samples; /* events, whether they count as samples or not */
    uint64_t native_samples, lost_samples;
};

/* Empties it for another chunk; keeps the memory. A part begins as {0}. */
void load_part_reset(struct load_part *part);
void load_part_deinit(struct load_part *part);
int load_part_sample(struct load_part *part, const struct profile_sample *sample);  /* 0 or -ENOMEM */
int load_part_object(struct load_part *part, const struct profile_object *object);  /* 0 or -ENOMEM */
int load_part_block(struct load_part *part, const struct load_block *block);        /* 0 or -ENOMEM */
int load_part_live_set(struct load_part *part, const struct profile_live_set *set); /* 0 or -ENOMEM */
int load_part_note(struct load_part *part, struct load_note note);                  /* 0 or -ENOMEM */

#endif
