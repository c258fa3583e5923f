#include "store/files/dictionary.h"

#include "store/files/column.h"
#include "store/files/contexts.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 30, BLOCK_HEAD = 8, BLOCK_MARK = 0x4b434c42 /* "BLCK" */ };

static const char magic[8] = {'C', 'A', 'N', 'D', 'D', 'I', 'C', '1'};

static struct dictionary_counts counts_of(const struct profile *p)
{
    return (struct dictionary_counts){p->strings.count, p->method_count, p->frame_count, p->node_count, p->thread_count, p->label_count};
}

static bool is_same(const struct dictionary_counts *a, const struct dictionary_counts *b)
{
    return a->strings == b->strings && a->methods == b->methods && a->frames == b->frames && a->nodes == b->nodes &&
           a->threads == b->threads && a->labels == b->labels;
}

/* ---- writing ---- */

static void put_strings(struct buffer *out, const struct profile *p, uint32_t from)
{
    for (uint32_t i = from; i < p->strings.count; i++) {
        column_put(out, strtab_len(&p->strings, i));
        buffer_put(out, profile_text(p, i), strtab_len(&p->strings, i));
    }
}

static void put_methods(struct buffer *out, const struct profile *p, uint32_t from)
{
    for (uint32_t i = from; i < p->method_count; i++) {
        column_put(out, p->methods[i].class_name);
        column_put(out, p->methods[i].name);
        column_put(out, p->methods[i].descriptor);
    }
}

static void put_frames(struct buffer *out, const struct profile *p, uint32_t from)
{
    for (uint32_t i = from; i < p->frame_count; i++) {
        const struct profile_frame *f = &p->frames[i];
        column_put(out, f->method);
        column_put_signed(out, f->line);
        column_put(out, f->bci);
        column_put(out, f->type);
    }
}

/* Writes parents as differences, because the parent of a stack is mostly the stack just before it. */
static void put_nodes(struct buffer *out, const struct profile *p, uint32_t from)
{
    for (uint32_t i = from; i < p->node_count; i++) {
        column_put(out, i - p->nodes[i].parent);
        column_put(out, p->nodes[i].frame);
    }
}

static void put_threads(struct buffer *out, const struct profile *p, uint32_t from)
{
    for (uint32_t i = from; i < p->thread_count; i++)
        column_put(out, p->threads[i].name);
}

/* Writes sets as those without their last label, and that label. */
static void put_labels(struct buffer *out, const struct profile *p, uint32_t from)
{
    for (uint32_t i = from; i < p->label_count; i++) {
        column_put(out, i - p->labels[i].parent);
        column_put(out, p->labels[i].key);
        column_put(out, p->labels[i].value);
    }
}

typedef void put_entries(struct buffer *out, const struct profile *p, uint32_t from);

static int put_column(struct buffer *out, struct buffer *plain, const struct profile *p, put_entries *put, uint32_t from, uint32_t to)
{
    buffer_reset(plain);
    column_put(plain, to - from);
    put(plain, p, from);
    return column_pack(out, plain);
}

static int put_block(struct buffer *out, const struct profile *p, const struct dictionary_counts *from)
{
    struct buffer plain;
    buffer_init(&plain, COLUMN_BYTES_MAX);
    size_t start = out->len;
    uint32_t head[2] = {htole32(BLOCK_MARK), 0};
    buffer_put(out, head, sizeof head);
    int rc = put_column(out, &plain, p, put_strings, from->strings, p->strings.count);
    rc = rc ? rc : put_column(out, &plain, p, put_methods, from->methods, p->method_count);
    rc = rc ? rc : put_column(out, &plain, p, put_frames, from->frames, p->frame_count);
    rc = rc ? rc : put_column(out, &plain, p, put_nodes, from->nodes, p->node_count);
    rc = rc ? rc : put_column(out, &plain, p, put_threads, from->threads, p->thread_count);
    if (!rc && p->label_count > from->labels)
        rc = put_column(out, &plain, p, put_labels, from->labels, p->label_count);
    if (!rc && !out->failed) {
        head[1] = htole32((uint32_t)(out->len - start - BLOCK_HEAD));
        memcpy(out->data + start, head, sizeof head);
    }
    buffer_deinit(&plain);
    return rc || out->failed ? -ENOMEM : 0;
}

/* Appends everything new as one block. If an earlier attempt left an incomplete block, this one overwrites it. */
static int save(struct dictionary *d, struct error *e)
{
    struct dictionary_counts now = counts_of(&d->names);
    struct buffer out;
    if (is_same(&now, &d->saved))
        return 0;
    buffer_init(&out, FILE_MAX);
    if (!d->size)
        buffer_put(&out, magic, sizeof magic);
    int rc = put_block(&out, &d->names, &d->saved);
    int fd = rc ? -1 : open(d->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (rc || d->size + out.len > FILE_MAX)
        rc = error_set(e, -ENOMEM, "%s: it would be too large", d->path);
    else if (fd < 0)
        rc = error_set(e, -errno, "%s: cannot be opened: %s", d->path, strerror(errno));
    rc = rc ? rc : disk_write_at(fd, out.data, out.len, d->size, d->path, e);
    if (!rc) {
        d->size += out.len;
        d->saved = now;
    } else if (fd >= 0 && ftruncate(fd, (off_t)d->size)) {
        d->damaged = true;
    }
    if (fd >= 0)
        close(fd);
    buffer_deinit(&out);
    return rc;
}

/* ---- reading ---- */

/* Each of these functions adds the entries of a column. Every entry must get the number that it has in the file. */
static int read_strings(struct profile *p, struct column *in)
{
    for (uint64_t n = column_next(in); n && !in->bad; n--) {
        uint32_t id, expected = p->strings.count;
        uint64_t len = column_next(in);
        const void *bytes = column_bytes(in, len);
        if (!bytes || profile_string(p, bytes, len, &id) || id != expected)
            return -EBADMSG;
    }
    return 0;
}

static int read_methods(struct profile *p, struct column *in)
{
    for (uint64_t n = column_next(in); n && !in->bad; n--) {
        uint32_t id, expected = p->method_count;
        uint64_t class_name = column_next(in), name = column_next(in), descriptor = column_next(in), known = p->strings.count;
        if (class_name >= known || name >= known || descriptor >= known ||
            profile_method(p, (uint32_t)class_name, (uint32_t)name, (uint32_t)descriptor, &id) || id != expected)
            return -EBADMSG;
    }
    return 0;
}

static int read_frames(struct profile *p, struct column *in)
{
    for (uint64_t n = column_next(in); n && !in->bad; n--) {
        uint32_t id, expected = p->frame_count;
        uint64_t method = column_next(in);
        int64_t line = column_next_signed(in);
        uint64_t bci = column_next(in), type = column_next(in);
        if (method >= p->method_count || line < INT32_MIN || line > INT32_MAX || bci > UINT32_MAX || type >= PROFILE_TYPES ||
            profile_frame(p, (uint32_t)method, (int32_t)line, (uint32_t)bci, (uint8_t)type, &id) || id != expected)
            return -EBADMSG;
    }
    return 0;
}

static int read_nodes(struct profile *p, struct column *in)
{
    for (uint64_t n = column_next(in); n && !in->bad; n--) {
        uint32_t id, expected = p->node_count;
        uint64_t back = column_next(in), frame = column_next(in);
        if (!back || back > expected || frame >= p->frame_count || profile_stack(p, expected - (uint32_t)back, (uint32_t)frame, &id) ||
            id != expected)
            return -EBADMSG;
    }
    return 0;
}

static int read_threads(struct profile *p, struct column *in)
{
    for (uint64_t n = column_next(in); n && !in->bad; n--) {
        uint32_t id, expected = p->thread_count;
        uint64_t name = column_next(in);
        if (name >= p->strings.count || profile_thread(p, (uint32_t)name, 0, 0, &id) || id != expected)
            return -EBADMSG;
    }
    return 0;
}

static int read_labels(struct profile *p, struct column *in)
{
    for (uint64_t n = column_next(in); n && !in->bad; n--) {
        uint32_t id, expected = p->label_count;
        uint64_t back = column_next(in), key = column_next(in), value = column_next(in), known = p->strings.count;
        if (!back || back > expected || key >= known || value >= known)
            return -EBADMSG;
        const struct profile_label one = {.parent = expected - (uint32_t)back, .key = (uint32_t)key, .value = (uint32_t)value};
        if (profile_label(p, &one, &id) || id != expected)
            return -EBADMSG;
    }
    return 0;
}

typedef int read_entries(struct profile *p, struct column *in);

static int read_column(struct profile *p, const uint8_t *bytes, size_t size, size_t *at, read_entries *entries)
{
    struct column in;
    int rc = column_open(&in, bytes, size, at);
    if (rc)
        return rc;
    rc = entries(p, &in);
    if (in.bad)
        rc = -EBADMSG;
    column_close(&in);
    return rc;
}

/* Reads a block. Returns 0 and moves *at past the block, or returns -EBADMSG. Entries at the beginning of a bad block stay in the
 * profile, but no number in the file refers to them. */
static int read_block(struct profile *p, const uint8_t *bytes, size_t size, size_t *at)
{
    static read_entries *const columns[] = {read_strings, read_methods, read_frames, read_nodes, read_threads};
    uint32_t head[2];
    size_t here = *at + BLOCK_HEAD;
    if (size - *at < BLOCK_HEAD)
        return -EBADMSG;
    memcpy(head, bytes + *at, sizeof head);
    if (le32toh(head[0]) != BLOCK_MARK || le32toh(head[1]) > size - here)
        return -EBADMSG;
    size_t end = here + le32toh(head[1]);
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof columns / sizeof *columns; i++)
        rc = read_column(p, bytes, end, &here, columns[i]);
    if (!rc && here != end)
        rc = read_column(p, bytes, end, &here, read_labels);
    if (!rc && here != end)
        rc = -EBADMSG;
    *at = rc ? *at : end;
    return rc;
}

static int read_all(struct dictionary *d, const uint8_t *bytes, size_t size)
{
    size_t at = sizeof magic;
    int rc = 0;
    if (size && (size < sizeof magic || memcmp(bytes, magic, sizeof magic)))
        rc = -EBADMSG;
    while (!rc && size && at < size) {
        rc = read_block(&d->names, bytes, size, &at);
        if (!rc)
            d->saved = counts_of(&d->names);
        d->size = at;
    }
    d->damaged = rc == -EBADMSG;
    return rc == -ENOMEM ? rc : 0;
}

int dictionary_open(struct dictionary *d, const char *path, struct error *e)
{
    static _Atomic uint64_t last; /* orders no other memory access */
    uint8_t *bytes = NULL;
    size_t size = 0;
    *d = (struct dictionary){.serial = 1 + atomic_fetch_add_explicit(&last, 1, memory_order_relaxed)};
    snprintf(d->path, sizeof d->path, "%s", path);
    if (profile_init(&d->names))
        return error_set(e, -ENOMEM, "%s: out of memory", path);
    d->names.full_names = true; /* ids must not change: an old file may have names from before names were made stable, and keeps them */
    d->saved = counts_of(&d->names);
    pthread_mutex_init(&d->lock, NULL);
    int rc = access(path, F_OK) ? 0 : disk_read_file(path, FILE_MAX, &bytes, &size, e);
    if (!rc && read_all(d, bytes, size))
        rc = error_set(e, -ENOMEM, "%s: out of memory", path);
    free(bytes);
    if (rc)
        dictionary_close(d);
    return rc;
}

/* Returns a copy of the profile's struct that has no threads and no labels. */
static struct profile stacks_of(const struct profile *p)
{
    struct profile stacks = *p;
    stacks.thread_count = 0;
    stacks.label_count = 1;
    return stacks;
}

static int take_threads(struct dictionary *d, const struct profile *p, struct dictionary_places *at)
{
    at->threads = calloc((size_t)p->thread_count + 1, sizeof *at->threads);
    for (uint32_t i = 0; at->threads && i < p->thread_count; i++)
        if (profile_thread(&d->names, at->graft.strings[p->threads[i].name], 0, 0, &at->threads[i]))
            return -ENOMEM;
    return at->threads ? 0 : -ENOMEM;
}

/* Finds the strings that stacks, threads and outcomes refer to. Others, such as the ids of traces, are not kept. */
static bool *strings_of(const struct profile *p)
{
    bool *wanted = calloc(p->strings.count, sizeof *wanted);
    for (uint32_t i = 0; wanted && i < p->method_count; i++)
        wanted[p->methods[i].class_name] = wanted[p->methods[i].name] = wanted[p->methods[i].descriptor] = true;
    for (uint32_t i = 0; wanted && i < p->thread_count; i++)
        wanted[p->threads[i].name] = true;
    for (uint32_t i = 0; wanted && i < p->sample_count; i++)
        wanted[p->samples[i].outcome] = true;
    return wanted;
}

static int take_stacks(struct dictionary *d, const struct profile *p, struct dictionary_places *at)
{
    const struct profile stacks = stacks_of(p);
    bool *wanted = strings_of(p);
    at->graft.strings_wanted = wanted;
    int rc = wanted ? graft_take(&at->graft, &d->names, &stacks) : -ENOMEM;
    at->graft.strings_wanted = NULL;
    free(wanted);
    return rc;
}

/* Copies the stacks that samples of several profiles refer to, those of this profile. */
static int take_shared(const struct profile *p, struct load_shared *stacks)
{
    int rc = 0;
    for (uint32_t i = 0; stacks && !rc && i < p->sample_count; i++)
        rc = load_shared_note(stacks, p->samples[i].stack);
    return rc || !stacks ? rc : load_shared_copy(stacks);
}

static int take_contexts(struct dictionary *d, const struct profile *p, struct dictionary_places *at)
{
    at->contexts = calloc(p->label_count, sizeof *at->contexts);
    return at->contexts ? contexts_take(&d->names, p, at->contexts) : -ENOMEM;
}

int dictionary_adopt(struct dictionary *d, const struct profile *p, struct load_shared *stacks, struct dictionary_places *at,
                     struct error *e)
{
    *at = (struct dictionary_places){.stacks = stacks};
    if (d->damaged)
        return error_set(e, -EBADMSG, "%s: damaged: nothing can be added to it", d->path);
    if (take_stacks(d, p, at) || take_shared(p, stacks) || take_threads(d, p, at) || take_contexts(d, p, at))
        return error_set(e, -ENOMEM, "%s: out of memory", d->path);
    return save(d, e);
}

void dictionary_places_deinit(struct dictionary_places *at)
{
    graft_deinit(&at->graft);
    free(at->threads);
    free(at->contexts);
    *at = (struct dictionary_places){0};
}

void dictionary_close(struct dictionary *d)
{
    profile_deinit(&d->names);
    pthread_mutex_destroy(&d->lock);
}
