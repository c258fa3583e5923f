/* One stack trace of a recording, taken into the trie of a profile; the inside of load_stacks.c.
 *
 * Five things make it cheap. Stacks that follow one another often share their roots: where their last bytes are the same ones, so are
 * the frames, which are not looked at. Other frames are decoded as they lie there, without the detour of values. A frame that the chunk
 * has shown before is known by its bytes. What a key stood for in the last chunk that had it, it mostly stands for in the next: it is
 * compared, and not looked for. And as far as roots are the same without being the same bytes, the trie is not asked. */
#ifndef CANDOR_PROFILE_LOAD_WALK_H
#define CANDOR_PROFILE_LOAD_WALK_H

#include "base/map.h"
#include "jfr/reader.h"
#include "profile/profile.h"

enum { LOAD_TYPES = 64 }; /* keys from there on are looked up each time */

struct load_bytes { /* where the frames of a stack lie */
    const uint8_t *end; /* NULL = not known */
    const struct jfr_type *type; /* of the frames */
    bool truncated; /* a place for missing frames stands at the root, of no bytes */
};

struct load_keys { /* what the keys of a pool stand for */
    struct map places; /* pool key -> place in the list */
    struct load_meaning *list;
    uint32_t cap;
};

struct load_walk {
    struct profile *profile;
    struct load_keys methods;
    struct load_keys texts[JFR_METHOD_PARTS]; /* of what methods refer to */
    uint8_t types[LOAD_TYPES]; /* by the pool key of a frame type, plus 1; 0 = not met yet; of the present chunk */
    struct load_known *known;  /* frames, by their bytes */
    struct load_frame *gathered; /* frames of the present stack, leaf first */
    struct load_place *last;     /* the last stack, root first, with its nodes */
    uint32_t last_depth;
    struct load_bytes last_bytes;
    uint32_t chunk; /* counts chunks from 1 */
};

/* 0 or -ENOMEM; load_walk_deinit in any case. */
int load_walk_init(struct load_walk *w, struct profile *p);
void load_walk_deinit(struct load_walk *w);
void load_walk_new_chunk(struct load_walk *w);
/* The stack of a value of type jdk.types.StackTrace: 0 when it is none. *truncated: its root is missing, and it stands on the frame
 * of profile_truncation_frame. 0 or -ENOMEM. */
int load_walk_stack(struct load_walk *w, struct jfr_value trace, uint32_t *stack, bool *truncated);

#endif
