#include "profile/load/load_walk.h"

#include "profile/load/load_text.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    KNOWN_BITS = 14, /* at the beginning */
    KNOWN_BITS_MAX = 17,
    KEYS = 128, /* number of keys that are compared together */
};

struct load_known { /* a frame's bytes, and its id */
    uint64_t bytes[2];
    uint32_t id, chunk; /* chunk: as in struct load_meaning; a frame of an earlier chunk must be compared */
};

struct load_frame {
    uint32_t id;
    uint32_t tail; /* bytes from the frame's beginning to the end of its stack, if known */
};

struct load_place { /* a frame of a stack */
    uint32_t frame, node;
};

struct load_word { /* all of a frame */
    uint64_t a, b;
    uint32_t tail;
};

struct load_digests {
    struct load_bytes bytes;
    uint32_t tails[PROFILE_DEPTH_MAX];
    struct digest list[PROFILE_DEPTH_MAX];     /* by place, root first: of the roots up to there */
    struct load_word words[PROFILE_DEPTH_MAX]; /* frames of the present stack, leaf first */
};

int load_walk_init(struct load_walk *w, struct profile *p)
{
    *w = (struct load_walk){.profile = p, .known_bits = KNOWN_BITS};
    w->known = calloc((size_t)1 << w->known_bits, sizeof *w->known);
    w->gathered = malloc(PROFILE_DEPTH_MAX * sizeof *w->gathered);
    w->last = malloc(PROFILE_DEPTH_MAX * sizeof *w->last);
    w->last_bytes.tails = malloc(PROFILE_DEPTH_MAX * sizeof *w->last_bytes.tails);
    return w->known && w->gathered && w->last && w->last_bytes.tails ? 0 : -ENOMEM;
}

int load_walk_recall(struct load_walk *w)
{
    w->looked = malloc(sizeof *w->looked);
    if (!w->looked)
        return -ENOMEM;
    w->looked->bytes = (struct load_bytes){.tails = w->looked->tails};
    digests_init(&w->traces);
    return 0;
}

void load_walk_deinit(struct load_walk *w)
{
    load_keys_deinit(&w->methods);
    for (int part = 0; part < JFR_METHOD_PARTS; part++)
        load_keys_deinit(&w->texts[part]);
    free(w->known);
    free(w->gathered);
    free(w->last);
    free(w->last_bytes.tails);
    digests_deinit(&w->traces);
    free(w->looked);
}

static void forget_bytes(struct load_walk *w)
{
    w->last_bytes.end = NULL;
    if (w->looked)
        w->looked->bytes.end = NULL;
}

void load_walk_new_chunk(struct load_walk *w)
{
    memset(w->types, 0, sizeof w->types);
    forget_bytes(w);
    w->chunk++;
}

void load_walk_drop_stacks(struct load_walk *w)
{
    w->last_bytes.depth = 0;
    forget_bytes(w);
    digests_clear(&w->traces);
}

size_t load_walk_bytes(const struct load_walk *w)
{
    size_t keys = w->methods.cap;
    for (int part = 0; part < JFR_METHOD_PARTS; part++)
        keys += w->texts[part].cap;
    return keys * sizeof *w->methods.places + (sizeof *w->known << w->known_bits) + digests_bytes(&w->traces) +
           (w->looked ? sizeof *w->looked : 0);
}

/* ---- frames ---- */

/* Returns the type of a frame. async-profiler's word for native code is "C++". */
static uint8_t frame_type(struct jfr_text text)
{
    for (uint8_t i = 0; i < JFR_FRAME_TYPES; i++)
        if (jfr_text_is(text, jfr_frame_type_names[i]))
            return i;
    return jfr_text_is(text, "C++") ? JFR_FRAME_NATIVE : PROFILE_TYPE_OTHER;
}

static bool is_text(const struct profile *p, uint32_t string, struct jfr_value method, enum jfr_method_part part, uint64_t key)
{
    struct jfr_text text = {strtab_text(&p->strings, string), strtab_len(&p->strings, string)};
    return jfr_method_text_is(method, part, key, text);
}

static int text_of_key(struct load_walk *w, struct jfr_value method, enum jfr_method_part part, uint64_t key, uint32_t *string)
{
    struct load_meaning *known = load_keys_find(&w->texts[part], key);
    if (!known)
        return -ENOMEM;
    if (known->chunk != w->chunk) {
        bool is_same = known->chunk && is_text(w->profile, known->id, method, part, key);
        if (!is_same && load_text(w->profile, jfr_method_text(method, part, key), &known->id))
            return -ENOMEM;
        known->chunk = w->chunk;
    }
    *string = known->id;
    return 0;
}

/* Reads the texts of `method` (class, name and descriptor) without the help of keys. */
static int texts_of_method(struct load_walk *w, struct jfr_value method, uint32_t strings[JFR_METHOD_PARTS])
{
    struct jfr_method_info info;
    if (jfr_method_of(method, &info) && (load_text(w->profile, info.class_name, &strings[JFR_METHOD_CLASS]) ||
                                         load_text(w->profile, info.name, &strings[JFR_METHOD_NAME]) ||
                                         load_text(w->profile, info.descriptor, &strings[JFR_METHOD_DESCRIPTOR])))
        return -ENOMEM;
    return 0;
}

static bool is_method(const struct profile *p, uint32_t id, const uint32_t strings[JFR_METHOD_PARTS])
{
    const struct profile_method *m = &p->methods[id];
    return m->class_name == strings[JFR_METHOD_CLASS] && m->name == strings[JFR_METHOD_NAME] &&
           m->descriptor == strings[JFR_METHOD_DESCRIPTOR];
}

/* Finds the id of a method. If `guessed`, *id is already set to the method that it probably is. */
static int take_method(struct load_walk *w, struct jfr_value method, bool guessed, uint32_t *id)
{
    uint64_t keys[JFR_METHOD_PARTS];
    uint32_t strings[JFR_METHOD_PARTS] = {0};
    bool has_keys = jfr_method_keys(method, keys);
    if (!has_keys && texts_of_method(w, method, strings))
        return -ENOMEM;
    for (int part = 0; has_keys && part < JFR_METHOD_PARTS; part++)
        if (text_of_key(w, method, part, keys[part], &strings[part]))
            return -ENOMEM;
    if (guessed && is_method(w->profile, *id, strings))
        return 0;
    return profile_method(w->profile, strings[JFR_METHOD_CLASS], strings[JFR_METHOD_NAME], strings[JFR_METHOD_DESCRIPTOR], id);
}

static bool is_frame(const struct profile *p, uint32_t id, uint32_t method, int32_t line, uint32_t bci, uint8_t type)
{
    const struct profile_frame *f = &p->frames[id];
    return f->method == method && f->line == line && f->bci == bci && f->type == type;
}

/* Finds the id of a frame. If `guessed`, *id is already set to the frame that it probably is. */
static int add_frame(struct load_walk *w, uint32_t method, int32_t line, int32_t bci, uint8_t type, bool guessed, uint32_t *id)
{
    if (type != PROFILE_TYPE_OTHER)
        type = (uint8_t)jfr_frame_type_marked(type, bci);
    line = line > 0 ? line : 0;
    uint32_t index = bci > 0 ? (uint32_t)jfr_frame_bci(bci) : 0;
    if (guessed && is_frame(w->profile, *id, method, line, index, type))
        return 0;
    return profile_frame(w->profile, method, line, index, type, id);
}

/* Reads a frame from generic values. No known writer needs this. */
static int take_frame(struct load_walk *w, const struct jfr_frame_info *frame, uint32_t *id)
{
    uint32_t method;
    int rc = take_method(w, frame->method, false, &method);
    return rc ? rc : add_frame(w, method, frame->line, frame->bci, frame_type(frame->type), false, id);
}

static int method_of_key(struct load_walk *w, const struct jfr_stack *stack, uint64_t key, uint32_t *id)
{
    if (!key)
        return take_method(w, jfr_stack_method(stack, key), false, id);
    struct load_meaning *known = load_keys_find(&w->methods, key);
    if (!known)
        return -ENOMEM;
    if (known->chunk != w->chunk) {
        int rc = take_method(w, jfr_stack_method(stack, key), known->chunk, &known->id);
        if (rc)
            return rc;
        known->chunk = w->chunk;
    }
    *id = known->id;
    return 0;
}

static uint8_t type_of_key(struct load_walk *w, const struct jfr_stack *stack, uint64_t key)
{
    if (key >= LOAD_TYPES)
        return frame_type(jfr_stack_type(stack, key));
    if (!w->types[key])
        w->types[key] = frame_type(jfr_stack_type(stack, key)) + 1;
    return w->types[key] - 1;
}

static int take_raw_frame(struct load_walk *w, const struct jfr_stack *stack, const struct jfr_raw_frame *raw, bool guessed, uint32_t *id)
{
    uint32_t method;
    int rc = method_of_key(w, stack, raw->method, &method);
    return rc ? rc : add_frame(w, method, raw->line, raw->bci, type_of_key(w, stack, raw->type), guessed, id);
}

/* Returns the two places for a frame with these bytes in a table of 1 << bits places. All bytes affect the hash. */
static struct load_known *places_of(struct load_known *known, uint32_t bits, const uint64_t bytes[2])
{
    uint64_t hash = (bytes[0] * 0x9e3779b97f4a7c15u ^ bytes[1]) * 0xff51afd7ed558ccdu;
    return &known[hash >> (64 - bits) & ~UINT64_C(1)];
}

static struct load_known *known_places(const struct load_walk *w, const struct jfr_frame_key *key)
{
    return places_of(w->known, w->known_bits, key->bytes);
}

/* Puts a frame in the first of its places. The frame that was there moves to the second if it is of the same chunk: frames of earlier
 * chunks, whose bytes may never come again, make room first. Returns whether a frame of the same chunk was displaced. */
static bool put_first(struct load_known at[2], const struct load_known *one)
{
    bool moves = at[0].chunk == one->chunk, displaces = moves && at[1].chunk == one->chunk;
    if (moves)
        at[1] = at[0];
    at[0] = *one;
    return displaces;
}

/* Doubles the table. Without memory it stays as it is, which only costs time. */
static void grow_known(struct load_walk *w)
{
    size_t count = (size_t)1 << w->known_bits;
    struct load_known *known = calloc(2 * count, sizeof *known);
    w->displaced = 0;
    if (!known)
        return;
    for (size_t i = count; i-- > 0;) /* of two, the second was put there before */
        if (w->known[i].chunk)
            put_first(places_of(known, w->known_bits + 1, w->known[i].bytes), &w->known[i]);
    free(w->known);
    w->known = known;
    w->known_bits++;
}

static bool has_bytes(const struct load_known *known, const struct jfr_frame_key *key)
{
    return known->bytes[0] == key->bytes[0] && known->bytes[1] == key->bytes[1];
}

/* Finds the meaning of a frame's bytes in this chunk. known: NULL, or what the bytes meant in an earlier one. */
static int learn(struct load_walk *w, const struct jfr_stack *stack, const struct jfr_frame_key *key, struct load_known *known,
                 uint32_t *id)
{
    struct jfr_raw_frame raw;
    *id = known ? known->id : 0;
    jfr_stack_decode(stack, key, &raw);
    int rc = take_raw_frame(w, stack, &raw, known, id);
    const struct load_known one = {{key->bytes[0], key->bytes[1]}, *id, w->chunk};
    if (rc)
        return rc;
    if (known)
        *known = one;
    else
        w->displaced += put_first(known_places(w, key), &one);
    if (w->displaced >> (w->known_bits - 2) && w->known_bits < KNOWN_BITS_MAX)
        grow_known(w);
    return 0;
}

/* Finds the id of a frame by its bytes. A frame of a chunk occurs thousands of times. Its id is kept at a place that depends on the
 * bytes, so that the frame is not decoded again. */
static int take_key(struct load_walk *w, const struct jfr_stack *stack, const struct jfr_frame_key *key, uint32_t *id)
{
    struct load_known *at = known_places(w, key), *known = has_bytes(&at[0], key) ? &at[0] : has_bytes(&at[1], key) ? &at[1] : NULL;
    if (!known || !known->chunk)
        return learn(w, stack, key, NULL, id);
    if (known->chunk != w->chunk)
        return learn(w, stack, key, known, id);
    *id = known->id;
    return 0;
}

/* Reads one frame that has no key. Returns 1 with *id, 0 at the end, or -ENOMEM. */
static int take_next(struct load_walk *w, struct jfr_stack *stack, uint32_t *id)
{
    struct jfr_frame_info frame;
    struct jfr_raw_frame raw;
    int rc;
    if (stack->raw)
        rc = jfr_stack_next_raw(stack, &raw) ? take_raw_frame(w, stack, &raw, false, id) : 1;
    else
        rc = jfr_stack_next(stack, &frame) ? take_frame(w, &frame, id) : 1;
    return rc < 0 ? rc : !rc;
}

/* ---- the roots that the last stack had ---- */

/* Returns the number of bytes right before a and b that are equal, at most `max`. */
static size_t equal_before(const uint8_t *a, const uint8_t *b, size_t max)
{
    size_t n = 0;
    for (uint64_t x[4], y[4]; max - n >= sizeof x; n += sizeof x) {
        memcpy(x, a - n - sizeof x, sizeof x);
        memcpy(y, b - n - sizeof y, sizeof y);
        if ((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]))
            break;
    }
    for (uint64_t x, y; max - n >= sizeof x; n += sizeof x) {
        memcpy(&x, a - n - sizeof x, sizeof x);
        memcpy(&y, b - n - sizeof y, sizeof y);
        if (x != y)
            return n + (size_t)__builtin_clzll(le64toh(x ^ y)) / 8;
    }
    while (n < max && a[-1 - (ptrdiff_t)n] == b[-1 - (ptrdiff_t)n])
        n++;
    return n;
}

/* Returns the number of places of the last stack, counted from the root, that this stack shares, because both stacks end in the same
 * bytes. The equal bytes are whole frames of this stack, too, if an integer begins at the first of them. Then as many integers follow as
 * in the last stack, and all integers of a stack together are whole frames. An integer begins there if the byte before it ends an
 * integer. The ninth byte of an integer need not show that it is the last. */
static uint32_t shared_roots(const struct load_bytes *last, const struct jfr_stack *stack)
{
    const struct jfr_value *next = &stack->frames.next;
    if (!stack->end || !last->end || next->type != last->type || stack->truncated != last->truncated)
        return 0;
    size_t bytes = (size_t)(stack->end - next->at), theirs = last->tails[last->depth - 1];
    size_t equal = equal_before(stack->end, last->end, bytes < theirs ? bytes : theirs);
    uint32_t none = last->truncated, count = none;
    for (uint32_t above = last->depth; count < above;) {
        uint32_t middle = count + (above - count) / 2;
        if (last->tails[middle] <= equal)
            count = middle + 1;
        else
            above = middle;
    }
    if (count == none)
        return 0;
    uint32_t tail = last->tails[count - 1];
    return tail == bytes || stack->end[-1 - (ptrdiff_t)tail] < 0x80 ? count : 0;
}

/* Notes the bytes of a stack that is the last one from now on. */
static void note_bytes(struct load_bytes *last, const struct jfr_stack *stack, uint32_t depth)
{
    last->end = depth ? stack->end : NULL;
    last->type = stack->frames.next.type;
    last->truncated = stack->truncated;
    last->depth = depth;
}

/* ---- stacks ---- */

static uint32_t tail_of(const struct jfr_stack *stack, const uint8_t *frame)
{
    return stack->end ? (uint32_t)(stack->end - frame) : 0;
}

static int take_keys(struct load_walk *w, struct jfr_stack *stack, uint32_t *depth)
{
    struct jfr_frame_key keys[KEYS];
    uint32_t room = PROFILE_DEPTH_MAX - 1 - *depth, tail = tail_of(stack, stack->frames.next.at);
    uint32_t count = stack->raw ? jfr_stack_next_keys(stack, keys, room < KEYS ? room : KEYS) : 0;
    struct load_frame *frame = &w->gathered[*depth];
    for (uint32_t i = 0; i < count; i++) /* the places are far apart in memory, so their loads go on beside each other */
        __builtin_prefetch(known_places(w, &keys[i]));
    for (uint32_t i = 0; i < count; i++, frame++) {
        frame->tail = tail;
        tail -= keys[i].size;
        if (take_key(w, stack, &keys[i], &frame->id))
            return -ENOMEM;
    }
    *depth += count;
    return (int)count;
}

/* Gathers the frames, leaf first. *truncated is set if there are too many. */
static int gather(struct load_walk *w, struct jfr_stack *stack, uint32_t *depth, bool *truncated)
{
    struct load_frame frame;
    int more = 1;
    for (*depth = 0; more > 0;) {
        more = take_keys(w, stack, depth);
        if (more)
            continue;
        frame.tail = tail_of(stack, stack->frames.next.at);
        more = take_next(w, stack, &frame.id);
        if (more > 0 && *depth == PROFILE_DEPTH_MAX - 1) {
            *truncated = true;
            break;
        }
        if (more > 0)
            w->gathered[(*depth)++] = frame;
    }
    return more < 0 ? more : 0;
}

static int add_truncation(struct load_walk *w, uint32_t *depth)
{
    struct load_frame *frame = &w->gathered[(*depth)++];
    frame->tail = 0;
    return profile_truncation_frame(w->profile, &frame->id);
}

/* Adds the gathered frames to the trie. Frames come leaf first, but the trie grows from the root. The first `roots` places are those of
 * the last stack. As long as further frames are equal to those of the last stack, their nodes are, too. */
static int grow(struct load_walk *w, uint32_t roots, uint32_t depth, uint32_t *stack)
{
    const struct load_frame *frame = &w->gathered[depth];
    struct load_place *place = &w->last[roots], *end = &w->last[roots + depth], *last_end = &w->last[w->last_bytes.depth];
    uint32_t node = roots ? place[-1].node : 0, *tail = &w->last_bytes.tails[roots];
    for (; place < end && place < last_end && place->frame == frame[-1].id; place++) {
        *tail++ = (--frame)->tail;
        node = place->node;
    }
    w->last_bytes.end = NULL; /* in case this function fails */
    w->last_bytes.depth = (uint32_t)(place - w->last);
    for (; place < end; place++) {
        frame--;
        if (profile_stack(w->profile, node, frame->id, &node))
            return -ENOMEM;
        *place = (struct load_place){frame->id, node};
        *tail++ = frame->tail;
    }
    *stack = node;
    return 0;
}

/* Moves past the roots that the last stack had. */
static void skip_roots(struct jfr_stack *walk, uint32_t roots)
{
    if (roots)
        walk->frames.left -= roots - walk->truncated;
}

/* Adds the stack to the trie. */
static int add_stack(struct load_walk *w, struct jfr_stack walk, uint32_t *stack, bool *truncated)
{
    uint32_t depth, roots = shared_roots(&w->last_bytes, &walk);
    const struct jfr_stack whole = walk;
    skip_roots(&walk, roots);
    int rc = gather(w, &walk, &depth, truncated);
    if (!rc && !roots && depth && *truncated)
        rc = add_truncation(w, &depth);
    if (!rc)
        rc = grow(w, roots, depth, stack);
    if (!rc)
        note_bytes(&w->last_bytes, &whole, roots + depth);
    return rc;
}

/* ---- stacks as a whole ---- */

/* Reads the next frames as words. Returns how many there were; 0 at the end, and before a frame without a key. *rc: 0 or -ENOMEM. */
static uint32_t take_words(struct load_walk *w, struct jfr_stack *stack, struct load_word *words, int *rc)
{
    struct jfr_frame_key keys[KEYS];
    struct jfr_raw_frame raw;
    uint32_t tail = tail_of(stack, stack->frames.next.at), count = jfr_stack_next_keys(stack, keys, KEYS);
    for (uint32_t i = 0; i < count && !*rc; i++) {
        uint32_t method = 0;
        jfr_stack_decode(stack, &keys[i], &raw);
        *rc = method_of_key(w, stack, raw.method, &method);
        words[i] = (struct load_word){
            .a = (uint64_t)method << 32 | (uint32_t)raw.line,
            .b = (uint64_t)(uint32_t)raw.bci << 8 | type_of_key(w, stack, raw.type),
            .tail = tail,
        };
        tail -= keys[i].size;
    }
    return count;
}

/* Makes the digest of a stack. Returns 1, 0 if the stack has none, or -ENOMEM. */
static int digest_of(struct load_walk *w, struct jfr_stack walk, struct digest *digest)
{
    struct load_digests *looked = w->looked;
    const struct jfr_stack whole = walk;
    uint32_t roots = shared_roots(&looked->bytes, &walk), depth = 0, count = 1, place = roots;
    int rc = 0;
    skip_roots(&walk, roots);
    while (walk.frames.left && count && !rc) {
        count = take_words(w, &walk, &looked->words[depth], &rc);
        depth += count;
    }
    if (rc || walk.frames.left)
        return rc;
    *digest = roots ? looked->list[roots - 1] : digests_begin(&w->traces, walk.truncated);
    if (!roots && walk.truncated) { /* a place without bytes */
        looked->tails[place] = 0;
        looked->list[place++] = *digest;
    }
    for (uint32_t i = depth; i-- > 0; place++) {
        *digest = digests_next(&w->traces, *digest, looked->words[i].a, looked->words[i].b);
        looked->tails[place] = looked->words[i].tail;
        looked->list[place] = *digest;
    }
    note_bytes(&looked->bytes, &whole, place);
    return 1;
}

int load_walk_stack(struct load_walk *w, struct jfr_value trace, uint32_t *stack, bool *truncated)
{
    struct jfr_stack walk;
    struct digest digest;
    *stack = 0;
    *truncated = false;
    if (!jfr_stack_of(trace, &walk))
        return 0;
    *truncated = walk.truncated;
    if (walk.frames.left >= PROFILE_DEPTH_MAX) /* the frames at its root will be missing */
        walk.end = NULL;
    bool may_recall = w->looked && walk.end && walk.raw && walk.frames.left && walk.frames.left < PROFILE_DEPTH_MAX - 1;
    int rc = may_recall ? digest_of(w, walk, &digest) : 0;
    bool has_digest = rc > 0;
    if (has_digest)
        *stack = digests_find(&w->traces, digest);
    if (rc < 0 || *stack)
        return rc < 0 ? rc : 0;
    rc = add_stack(w, walk, stack, truncated);
    if (!rc && has_digest && *stack)
        digests_add(&w->traces, digest, *stack);
    return rc;
}
