/* Adds one stack trace of a recording to the trie of a profile; used only by load_stacks.c.
 *
 * Five things make it cheap. Successive stacks often share their roots: if the last bytes of two stacks are equal, so are the frames in
 * these bytes, which are then skipped. Other frames are decoded in place, without generic values. A frame that already occurred in the
 * chunk is recognized by its bytes. A key usually has the same meaning as in the last chunk that had it, so the entry is compared with
 * that meaning and not searched. And if roots are equal although their bytes differ, the trie is not searched. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_WALK_H
#define CANDOR_PROFILE_LOAD_LOAD_WALK_H

#include "jfr/read/reader.h"
#include "profile/load/load_keys.h"
#include "profile/profile.h"

enum { LOAD_TYPES = 64 }; /* larger keys are looked up each time */

struct load_bytes {              /* the bytes with the frames of a stack */
    const uint8_t *end;          /* NULL = unknown */
    const struct jfr_type *type; /* the type of the frames */
    bool truncated;              /* the root is a place without bytes, for missing frames */
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
    uint32_t last_depth;
    struct load_bytes last_bytes;
    uint32_t chunk; /* counts chunks from 1 */
};

/* Returns 0 or -ENOMEM. Call load_walk_deinit in any case. */
int load_walk_init(struct load_walk *w, struct profile *p);
void load_walk_deinit(struct load_walk *w);
void load_walk_new_chunk(struct load_walk *w);
/* Forgets the last stack, because the profile has forgotten its stacks. Keys and frames stay known. */
void load_walk_drop_stacks(struct load_walk *w);
/* Returns the bytes of memory of what is known. */
size_t load_walk_bytes(const struct load_walk *w);
/* Reads a value of type jdk.types.StackTrace; the id is 0 if the value has another type. *truncated: the root is missing, and
 * profile_truncation_frame is at the root. Returns 0 or -ENOMEM. */
int load_walk_stack(struct load_walk *w, struct jfr_value trace, uint32_t *stack, bool *truncated);

#endif
