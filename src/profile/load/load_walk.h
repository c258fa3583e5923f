/* One stack trace of a recording, taken into the trie of a profile; the inside of load_stacks.c.
 *
 * Five things make it cheap. Successive stacks often share their roots: if their last bytes are equal, so are the frames, which
 * are then skipped. Other frames are decoded in place, without the detour through values. A frame that the chunk has had before
 * is recognized by its bytes. A key usually has the same meaning as in the last chunk that had it: the entry is compared, not
 * searched for. And as long as roots are equal although their bytes differ, the trie is not searched. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_WALK_H
#define CANDOR_PROFILE_LOAD_LOAD_WALK_H

#include "base/map.h"
#include "jfr/read/reader.h"
#include "profile/profile.h"

enum { LOAD_TYPES = 64 }; /* keys from there on are looked up each time */

struct load_bytes {              /* where the frames of a stack lie */
    const uint8_t *end;          /* NULL = not known */
    const struct jfr_type *type; /* of the frames */
    bool truncated;              /* a place for missing frames stands at the root, of no bytes */
};

struct load_keys {     /* what the keys of a pool stand for */
    struct map places; /* pool key -> place in the list */
    struct load_meaning *list;
    uint32_t cap;
};

struct load_walk {
    struct profile *profile;
    struct load_keys methods;
    struct load_keys texts[JFR_METHOD_PARTS]; /* of what methods refer to */
    uint8_t types[LOAD_TYPES];                /* by the pool key of a frame type, plus 1; 0 = not met yet; of the present chunk */
    struct load_known *known;                 /* frames, by their bytes */
    struct load_frame *gathered;              /* frames of the present stack, leaf first */
    struct load_place *last;                  /* the last stack, root first, with its nodes */
    uint32_t last_depth;
    struct load_bytes last_bytes;
    uint32_t chunk; /* counts chunks from 1 */
};

/* 0 or -ENOMEM; load_walk_deinit in any case. */
int load_walk_init(struct load_walk *w, struct profile *p);
void load_walk_deinit(struct load_walk *w);
void load_walk_new_chunk(struct load_walk *w);
/* The stack of a value of type jdk.types.StackTrace: 0 if it is not one. *truncated: its root is missing, and
 * profile_truncation_frame is at its root. 0 or -ENOMEM. */
int load_walk_stack(struct load_walk *w, struct jfr_value trace, uint32_t *stack, bool *truncated);

#endif
