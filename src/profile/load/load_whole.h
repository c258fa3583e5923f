/* The profile of a whole file, made of the parts of its chunks, in the chunks' order.
 *
 *   load_whole_init -> load_whole_take for each chunk -> load_whole_settle -> load_whole_deinit
 *
 * The result depends only on the parts and their order, not on the number of reading threads. One owner at a time, no locking.
 * Functions return 0 or -ENOMEM. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_WHOLE_H
#define CANDOR_PROFILE_LOAD_LOAD_WHOLE_H

#include "base/map.h"
#include "profile/graft.h"
#include "profile/load/load_minutes.h"
#include "profile/load/load_part.h"

struct load_whole {
    struct profile *profile;
    enum load_rank rank;          /* a better one drives out the samples of the others, */
    bool by_candor;               /* and of one rank our agent's those of other recorders */
    bool joined;                  /* a recording of ours, with chunks of the JDK's recorder after it */
    uint64_t left_out;            /* samples of the JDK that duplicate the agent's recording, */
    enum load_rank left_out_rank; /* and what they are */
    struct map virtual_threads;   /* by Java's id, those that were counted */
    uint64_t *cpus;               /* the last CPU time of each thread of the agent */
    uint32_t cpu_count, cpu_cap;
    struct map cpu_places;      /* (number, thread) -> place in cpus */
    bool has_content, is_first; /* any part so far; the one that is being taken, of those that have any */
    struct profile_book *bases; /* the base of the books, if the file has lost its beginning */
    uint32_t base_count, base_cap;
    struct load_minutes minutes;  /* of the books, if they are wanted by minute */
    uint32_t cpu_book;            /* the place of the account "cpu" in the profile's books, plus 1; 0 = there is none yet */
    uint64_t periods[LOAD_RANKS]; /* from jdk.ActiveSetting, or the smallest weight of a jdk.CPUTimeSample; 0 = unknown */
    struct load_block *blocks;    /* of the kind PROFILE_NATIVELEAK */
    uint32_t block_count, block_cap;
    uint64_t native_samples; /* not used: jdk.NativeMethodSample */
    uint64_t lost_samples;   /* that jdk.CPUTimeSamplesLost tells of */
    uint64_t refused;        /* samples with an impossible weight */
};

/* p was initialized and is empty. */
void load_whole_init(struct load_whole *w, struct profile *p);
/* Adds a part. Its ids are those of a profile that `graft` merges into this one; NULL: they are this profile's own ids. */
int load_whole_take(struct load_whole *w, const struct load_part *part, const struct graft *graft);
/* Computes what only the whole file shows: periods, and omitted samples. */
int load_whole_settle(struct load_whole *w);
void load_whole_deinit(struct load_whole *w);

#endif
