/* A table of the sampled methods whose compiled code has sparse debug information. It records how much time each method has, and which
 * methods' code was discarded. A method here is a unit of compilation: methods that were inlined into it count as part of it.
 *
 *   met_clear -> [ [ met_sample, met_pick, met_settle, met_fade ]* -> met_restart ]*
 *
 * The table has one owner. It is bounded: when it is full, further methods are left out. */
#ifndef CANDOR_AGENT_COLLECT_HEAL_MET_H
#define CANDOR_AGENT_COLLECT_HEAL_MET_H

#include "agent/trigger/jvm/old_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MET_SLOTS = 2048, MET_MAX = MET_SLOTS / 2, MET_TRIES_MAX = 2, MET_RETURNED_MAX = 256 };

enum met_state {
    MET_SPARSE,    /* its code is to be discarded */
    MET_DISCARDED, /* its code was discarded; becomes MET_SPARSE again if a sample meets such code again */
    MET_KEPT       /* its code cannot be discarded; `fate` says why */
};

struct met_method {
    uint32_t method; /* its id (hot/java/method.h); 0 = the slot is free */
    enum met_state state;
    enum old_method_fate fate;
    uint32_t tries;
    uint64_t recent; /* recent weight: it is halved regularly */
    uint64_t weight; /* weight since the first sample */
    const struct old_method *picked;
};

struct met {
    struct met_method slots[MET_SLOTS];
    size_t count;
    /* Keys of methods whose code returned, by their names, because ids are those of one recording. They are not tried again: the JVM counts
     * how often it discards a method's code, and after 400 times never compiles it again (PerMethodRecompilationCutoff). */
    uint64_t returned[MET_RETURNED_MAX];
    size_t returned_count;
};

void met_clear(struct met *m);
/* Clears the table for the next recording, except that methods whose code returned are not tried again. */
void met_restart(struct met *m);
/* Whether the innermost frames of a sample belong to code with sparse debug information; sets *method to the method that was compiled, 0 if
 * it has no id. frames: the frames of a record. */
bool met_is_approximate(const uint64_t *frames, size_t count, uint32_t *method);
/* Adds a sample. Returns whether its code can still be discarded. */
bool met_sample(struct met *m, uint32_t method, uint64_t weight);
/* Picks the hottest methods whose code is sparse, at most max, hottest first. Returns how many. */
size_t met_pick(struct met *m, struct old_method *methods, size_t max);
/* Notes what became of the picked methods, by their fates. Returns how many were discarded. */
size_t met_settle(struct met *m);
/* Notes that all code of methods that samples have met was discarded. Returns how many methods. */
size_t met_settle_all(struct met *m);
/* Halves the recent weight of each method. */
void met_fade(struct met *m);

struct met_sum {
    uint64_t weight;
    uint64_t count;
};

struct met_sum met_sum_discarded(const struct met *m);
struct met_sum met_sum_kept(const struct met *m, enum old_method_fate fate);

#endif
