/* Adds one stack trace of a recording to the trie of a profile; used only by load_stacks.c.
 *
 * Six things make it cheap. Successive stacks often share their roots: if the last bytes of two stacks are equal, so are the frames in
 * these bytes, which are then skipped. Other frames are decoded in place, without generic values. A frame that already occurred in the
 * chunk is recognized by its bytes. A key usually has the same meaning as in the last chunk that had it, so the entry is compared with
 * that meaning and not searched. If roots are equal although their bytes differ, the trie is not searched. And a reader of several
 * recordings looks up a stack as a whole first: most stacks of a program come again, whatever keys its methods have by then. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_WALK_H
#define CANDOR_PROFILE_LOAD_LOAD_WALK_H

#include "base/digests.h"
#include "jfr/read/reader.h"
#include "profile/load/load_keys.h"
#include "profile/profile.h"

enum { LOAD_TYPES = 64 }; /* larger keys are looked up each time */

struct load_bytes {              /* the bytes with the frames of a stack */
    const uint8_t *end;          /* NULL = unknown */
    const struct jfr_type *type; /* the type of the frames */
    bool truncated;              /* the root is a place without bytes, for missing frames */
    uint32_t *tails;             /* of each place, root first: the bytes from there to `end` */
    uint32_t depth;              /* places */
};

struct load_walk {
    struct profile *profile;
    struct load_keys methods;
    struct load_keys texts[JFR_METHOD_PARTS]; /* the pools that methods refer to */
    uint8_t types[LOAD_TYPES];                /* by the pool key of a frame type, in the present chunk: the type plus 1; 0 = not met yet */
    struct load_known *known;                 /* frames, by their bytes: 1 << known_bits places, two for each frame */
    uint32_t known_bits;
    uint32_t displaced;          /* frames that took the places of others since the table grew */
    struct load_frame *gathered; /* frames of the present stack, leaf first */
    struct load_place *last;     /* the last stack, root first, with its nodes */
    struct load_bytes last_bytes;
    struct digests traces;       /* stacks as a whole */
    struct load_digests *looked; /* the last stack that was looked up; NULL = stacks are not looked up as a whole */
    uint32_t chunk;              /* counts chunks from 1 */
};

/* Returns 0 or -ENOMEM. Call load_walk_deinit in any case. */
int load_walk_init(struct load_walk *w, struct profile *p);
void load_walk_deinit(struct load_walk *w);
/* From now on, stacks are looked up as a whole. Returns 0 or -ENOMEM. */
int load_walk_recall(struct load_walk *w);
void load_walk_new_chunk(struct load_walk *w);
/* Forgets the last stack, because the profile has forgotten its stacks. Keys and frames stay known. */
void load_walk_drop_stacks(struct load_walk *w);
/* Returns the bytes of memory of what is known. */
size_t load_walk_bytes(const struct load_walk *w);
/* Reads a value of type jdk.types.StackTrace; the id is 0 if the value has another type. *truncated: the root is missing, and
 * profile_truncation_frame is at the root. Returns 0 or -ENOMEM. */
int load_walk_stack(struct load_walk *w, struct jfr_value trace, uint32_t *stack, bool *truncated);

#endif
