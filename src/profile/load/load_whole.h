/* Makes the profile of a whole file from the parts of its chunks, in the chunks' order.
 *
 *   load_whole_init -> load_whole_take for each chunk -> load_whole_settle -> load_whole_deinit
 *
 * The result depends only on the parts and their order, not on the number of reading threads. It has one owner at a time and no locking.
 * Functions return 0 or -ENOMEM. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_WHOLE_H
#define CANDOR_PROFILE_LOAD_LOAD_WHOLE_H

#include "base/map.h"
#include "profile/graft.h"
#include "profile/load/load_minutes.h"
#include "profile/load/load_part.h"

struct load_whole {
    struct profile *profile;
    enum load_rank rank;          /* samples of a better rank replace those of the others, */
    bool by_candor;               /* and within one rank samples of Candor's agent replace those of other recorders */
    bool joined;                  /* a recording of Candor, followed by chunks of the JDK's recorder */
    uint64_t left_out;            /* number of the JDK's samples that duplicate the agent's recording, */
    enum load_rank left_out_rank; /* and their rank */
    struct map virtual_threads;   /* by Java's id: the virtual threads that were counted */
    uint64_t *cpus;               /* the last CPU time of each thread of the agent */
    uint32_t cpu_count, cpu_cap;
    struct map cpu_places;      /* (number, thread) -> place in cpus */
    bool has_content, is_first; /* there was a part with content; the present part is the first with content */
    struct profile_book *bases; /* the base of the books, if the file has lost its beginning */
    uint32_t base_count, base_cap;
    struct load_minutes minutes;  /* the books by minute, if the profile wants them */
    uint32_t cpu_book;            /* the place of the account "cpu" in the profile's books, plus 1; 0 = there is none yet */
    uint64_t periods[LOAD_RANKS]; /* from jdk.ActiveSetting, or the smallest weight of a jdk.CPUTimeSample; 0 = unknown */
    struct load_block *blocks;    /* for the kind PROFILE_NATIVELEAK */
    uint32_t block_count, block_cap;
    uint64_t native_samples; /* events of jdk.NativeMethodSample, which are not used */
    uint64_t lost_samples;   /* number of samples that jdk.CPUTimeSamplesLost reports */
    uint64_t refused;        /* samples with an impossible weight */
};

/* Prepares w for the profile p, which is initialized and empty. */
void load_whole_init(struct load_whole *w, struct profile *p);
/* Adds a part. If graft is set, the part's ids belong to a profile that `graft` merges into this one, except for the ids of stacks. These,
 * and all ids if graft is NULL, are this profile's own. */
int load_whole_take(struct load_whole *w, const struct load_part *part, const struct graft *graft);
/* Computes the results that need the whole file: periods, and the samples that were left out. */
int load_whole_settle(struct load_whole *w);
void load_whole_deinit(struct load_whole *w);

#endif
