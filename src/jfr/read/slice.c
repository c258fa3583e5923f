#include "jfr/read/slice.h"

#include "base/agreed/accounts.h"
#include "base/buffer.h"
#include "base/time_units.h"
#include "jfr/read/input.h"
#include "jfr/read/reader_internal.h"
#include "jfr/schema_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the present content ---- */

bool jfr_slice_header(const uint8_t *bytes, struct jfr_chunk_header *h)
{
    *h = (struct jfr_chunk_header){input_be(bytes + 8, 8), input_be(bytes + 40, 8), input_be(bytes + 48, 8)};
    return !memcmp(bytes, "FLR", 4) && input_be(bytes + 4, 2) == 2 && bytes[67] & 1 && h->size >= JFR_HEADER_BYTES &&
           h->duration_ns < INT64_MAX && input_be(bytes + 56, 8);
}

struct record {
    const uint8_t *start, *type, *fields, *end;
    uint64_t id;
};

static bool record_at(const uint8_t *at, const uint8_t *end, struct record *r)
{
    uint64_t size;
    r->start = at;
    r->type = input_varint(at, end, &size);
    r->fields = input_varint(r->type, end, &r->id);
    if (!r->fields || size > (uint64_t)(end - at) || size < (uint64_t)(r->fields - at))
        return false;
    r->end = at + size;
    return true;
}

/* Finds the distance to the previous checkpoint, and the data after it. */
static bool checkpoint_parts(const struct record *r, const uint8_t **distance, const uint8_t **rest, uint64_t *pools)
{
    uint64_t skipped;
    uint8_t kind;
    *distance = input_varint(input_varint(r->fields, r->end, &skipped), r->end, &skipped); /* start, duration */
    *rest = input_varint(*distance, r->end, &skipped);
    return input_varint(input_byte(*rest, r->end, &kind), r->end, pools) != NULL;
}

static bool is_gap(const struct record *r)
{
    const uint8_t *distance, *rest;
    uint64_t pools;
    return r->id == JFR_CHECKPOINT_TYPE && checkpoint_parts(r, &distance, &rest, &pools) && !pools;
}

/* The writer's last record is a gap, or the record that is about to replace it, which looks like padding (writer_tail.h). */
int jfr_slice_extent(const uint8_t *bytes, size_t size, bool ended, size_t *end)
{
    const uint8_t *at = bytes + JFR_HEADER_BYTES, *limit = bytes + size;
    struct record r;
    bool closed = false;
    *end = JFR_HEADER_BYTES;
    if (size < JFR_HEADER_BYTES)
        return -EBADMSG;
    while (at < limit && record_at(at, limit, &r)) {
        closed = r.id == T_PADDING || is_gap(&r);
        if (r.id == T_PADDING)
            return 0;
        if (!closed && r.id != JFR_METADATA_TYPE)
            *end = (size_t)(r.end - bytes);
        at = r.end;
    }
    return ended || (at == limit && closed) ? 0 : -EAGAIN;
}

/* ---- the books ---- */

static void take_text(struct jfr_text text, char *out, size_t size)
{
    snprintf(out, size, "%.*s", (int)(text.len < size ? text.len : size - 1), text.bytes);
}

static struct jfr_book *book_of(struct jfr_books *books, const struct jfr_book *like)
{
    for (uint32_t i = 0; i < books->count; i++)
        if (!strcmp(books->lines[i].account, like->account) && !strcmp(books->lines[i].reason, like->reason))
            return &books->lines[i];
    if (books->count == JFR_BOOKS_MAX)
        return NULL;
    struct jfr_book *book = &books->lines[books->count++];
    *book = *like;
    book->ns = 0;
    book->count = 0;
    return book;
}

/* ---- making one ---- */

enum role { ROLE_EVENT, ROLE_SAMPLE, ROLE_CPU_SAMPLE, ROLE_BOOK, ROLE_BOOK_BASE, ROLE_DESCRIPTION, ROLE_NOTHING };

static const struct {
    const char *type;
    enum role role;
} roles[] = {
    {"candor.CpuSample", ROLE_CPU_SAMPLE},
    {"candor.SafepointSample", ROLE_CPU_SAMPLE},
    {"candor.WallSample", ROLE_SAMPLE},
    {"candor.EventSample", ROLE_SAMPLE},
    {"jdk.ObjectAllocationSample", ROLE_SAMPLE},
    {"jdk.JavaMonitorEnter", ROLE_SAMPLE},
    {"jdk.ThreadPark", ROLE_SAMPLE},
    {"candor.BookLine", ROLE_BOOK},
    {"candor.BookBase", ROLE_BOOK_BASE},
    {"candor.ThreadCpu", ROLE_NOTHING},
    {"candor.ThreadBase", ROLE_NOTHING},
    {"candor.Padding", ROLE_NOTHING},
    {"candor.Setting", ROLE_DESCRIPTION},
    {"jdk.ActiveRecording", ROLE_DESCRIPTION},
    {"jdk.ActiveSetting", ROLE_DESCRIPTION},
    {"jdk.JVMInformation", ROLE_DESCRIPTION},
    {"jdk.OSInformation", ROLE_DESCRIPTION},
    {"jdk.CPUInformation", ROLE_DESCRIPTION},
    {"jdk.InitialSystemProperty", ROLE_DESCRIPTION},
};

enum { ROLES = sizeof roles / sizeof *roles };

struct making {
    struct jfr_chunk *chunk;
    struct buffer out;
    struct jfr_books *now;    /* at the present record */
    struct jfr_books *before; /* at the beginning of the window */
    const struct jfr_type *types[ROLES];
    uint64_t from, start_ticks, checkpoint;
    bool is_first; /* the recording's first chunk: its bases count */
    struct jfr_slice *slice;
};

static enum role role_of(const struct making *m, const struct jfr_type *type)
{
    for (int i = 0; i < ROLES; i++)
        if (type == m->types[i])
            return roles[i].role;
    return ROLE_EVENT;
}

/* Begins a record. Its size, of four bytes, is filled in at the end. */
static size_t begin_record(struct making *m)
{
    size_t at = m->out.len;
    buffer_be32(&m->out, 0);
    return at;
}

static void end_record(struct making *m, size_t at)
{
    if (!m->out.failed)
        buffer_patch_varint4(&m->out, at, (uint32_t)(m->out.len - at));
}

static void copy(struct making *m, const uint8_t *from, const uint8_t *to)
{
    buffer_put(&m->out, from, (size_t)(to - from));
}

static void put_checkpoint(struct making *m, const struct record *r)
{
    const uint8_t *distance, *rest;
    uint64_t pools;
    if (!checkpoint_parts(r, &distance, &rest, &pools) || !pools)
        return;
    size_t at = begin_record(m);
    copy(m, r->type, distance);
    buffer_varint(&m->out, m->checkpoint ? m->checkpoint - at : 0);
    copy(m, rest, r->end);
    end_record(m, at);
    m->checkpoint = at;
}

/* New values for some of the event's integers. */
struct change {
    const char *field;
    uint64_t value;
};

static void put_changed(struct making *m, const struct record *r, const struct jfr_type *type, const struct change *changes)
{
    const uint8_t *at = r->fields;
    size_t start = begin_record(m);
    copy(m, r->type, r->fields);
    for (uint32_t i = 0; i < type->field_count && at; i++) {
        const struct jfr_field *f = &type->fields[i];
        const uint8_t *next = jfr_skip_field(f, at, r->end);
        const struct change *c = changes;
        while (c->field && strcmp(c->field, f->name))
            c++;
        if (next && c->field && f->type->kind == JFR_KIND_LONG && !f->array && !f->pooled)
            buffer_varint(&m->out, c->value);
        else if (next)
            copy(m, at, next);
        at = next;
    }
    if (at) {
        copy(m, at, r->end);
        end_record(m, start);
    } else {
        m->out.len = start;
    }
}

static struct jfr_value value_of(struct making *m, const struct record *r, const char *field)
{
    struct jfr_cursor cursor = {m->chunk, r->start};
    struct jfr_event event;
    if (!jfr_cursor_next(&cursor, &event))
        return (struct jfr_value){0};
    return jfr_event_value(&event, jfr_type_field(event.type, field));
}

static struct jfr_book line_of(struct making *m, const struct record *r)
{
    struct jfr_book line = {.ns = jfr_value_int(value_of(m, r, "time")), .count = (uint64_t)jfr_value_int(value_of(m, r, "count"))};
    take_text(jfr_value_text(value_of(m, r, "account")), line.account, sizeof line.account);
    take_text(jfr_value_text(value_of(m, r, "reason")), line.reason, sizeof line.reason);
    return line;
}

/* A recording that began beside others does not count from zero. */
static void take_base(struct making *m, const struct record *r)
{
    struct jfr_book line = line_of(m, r);
    struct jfr_book *now = book_of(m->now, &line), *before = book_of(m->before, &line);
    if (now && before)
        *now = *before = line;
}

static void take_book(struct making *m, const struct record *r, const struct jfr_type *type, bool fresh)
{
    struct jfr_book line = line_of(m, r);
    struct jfr_book *now = book_of(m->now, &line), *before = book_of(m->before, &line);
    if (!now || !before)
        return; /* our agent never writes this many accounts */
    now->ns = line.ns;
    now->count = line.count;
    if (!fresh) {
        *before = *now;
        return;
    }
    const struct change changes[] = {{"time", (uint64_t)line.ns - (account_is_level(line.account) ? 0 : (uint64_t)before->ns)},
                                     {"count", line.count - before->count},
                                     {0}};
    put_changed(m, r, type, changes);
    m->slice->books++;
}

static void take_event(struct making *m, const struct record *r)
{
    const struct change restart[] = {{"startTime", m->start_ticks}, {0}};
    const struct jfr_type *type = jfr_type_by_id(m->chunk, r->id);
    bool fresh = (uint64_t)(r->start - m->chunk->bytes) >= m->from;
    enum role role = type && type->event ? role_of(m, type) : ROLE_NOTHING;
    if (role == ROLE_BOOK)
        take_book(m, r, type, fresh);
    if (role == ROLE_BOOK_BASE && m->is_first)
        take_base(m, r);
    if (role == ROLE_DESCRIPTION && !fresh)
        put_changed(m, r, type, restart);
    if (role == ROLE_BOOK || role == ROLE_BOOK_BASE || role == ROLE_NOTHING || !fresh)
        return;
    copy(m, r->start, r->end);
    m->slice->events++;
    m->slice->samples += role == ROLE_SAMPLE || role == ROLE_CPU_SAMPLE;
    if (role == ROLE_CPU_SAMPLE)
        m->slice->weight_ns += (uint64_t)jfr_value_int(value_of(m, r, "weight"));
}

static void put_be64_at(struct buffer *b, size_t at, uint64_t v)
{
    for (int i = 8; i-- > 0; v >>= 8)
        b->data[at + (size_t)i] = (uint8_t)v;
}

static uint64_t ns_to_ticks(const struct jfr_chunk *c, uint64_t ns)
{
    return (uint64_t)((unsigned __int128)ns * c->info.ticks_per_second / NS_PER_S);
}

static void put_header(struct making *m, const struct jfr_window *w)
{
    struct buffer *b = &m->out;
    if (b->failed)
        return;
    put_be64_at(b, 8, b->len);
    put_be64_at(b, 16, m->checkpoint);
    put_be64_at(b, 24, JFR_HEADER_BYTES);
    put_be64_at(b, 32, (uint64_t)m->chunk->info.start_ns + w->from_ns);
    put_be64_at(b, 40, w->to_ns > w->from_ns ? w->to_ns - w->from_ns : 0);
    put_be64_at(b, 48, m->start_ticks);
    b->data[64] = 0;
    b->data[67] |= 2; /* the last chunk of its recording */
}

static void put_all(struct making *m, const struct jfr_window *w)
{
    struct jfr_chunk *c = m->chunk;
    struct record r;
    copy(m, c->bytes, c->bytes + JFR_HEADER_BYTES);
    if (record_at(c->bytes + c->metadata, c->end, &r))
        copy(m, r.start, r.end);
    for (const uint8_t *at = c->bytes + JFR_HEADER_BYTES; at < c->end && record_at(at, c->end, &r); at = r.end) {
        if (r.id == JFR_CHECKPOINT_TYPE)
            put_checkpoint(m, &r);
        else if (r.id != JFR_METADATA_TYPE)
            take_event(m, &r);
    }
    put_header(m, w);
}

static int make(struct jfr_chunk *c, const struct jfr_window *w, struct jfr_books *books, struct jfr_slice *out)
{
    struct jfr_books before = *books;
    struct making m = {.chunk = c,
                       .now = books,
                       .before = &before,
                       .from = w->from,
                       .is_first = !books->count,
                       .slice = out,
                       .start_ticks = (uint64_t)c->info.start_ticks + ns_to_ticks(c, w->from_ns)};
    buffer_init(&m.out, 2 * (size_t)c->info.size + (1 << 20));
    for (int i = 0; i < ROLES; i++)
        m.types[i] = jfr_chunk_type(c, roles[i].type);
    put_all(&m, w);
    if (m.out.failed || c->out_of_memory || !(out->events + out->books)) {
        bool failed = m.out.failed || c->out_of_memory;
        buffer_deinit(&m.out);
        return failed ? -ENOMEM : 0;
    }
    out->bytes = m.out.data;
    out->size = m.out.len;
    return 0;
}

int jfr_slice_make(uint8_t *bytes, size_t end, const struct jfr_window *window, struct jfr_books *books, struct jfr_slice *out,
                   struct error *e)
{
    struct buffer head = {.data = bytes};
    struct jfr_file *file = NULL;
    struct jfr_chunk *chunk = NULL;
    *out = (struct jfr_slice){0};
    put_be64_at(&head, 8, end);
    int rc = jfr_file_open_memory(&file, bytes, end, "the recording", NULL, e);
    if (!rc)
        rc = jfr_chunk_open(&chunk, file, 0, NULL, e);
    if (!rc && !chunk)
        rc = error_set(e, -EBADMSG, "the recording contains a chunk that cannot be read");
    if (!rc && (rc = make(chunk, window, books, out)))
        error_set(e, rc, "no memory for a part of the recording");
    jfr_chunk_close(chunk);
    jfr_file_close(file);
    return rc == -EINVAL ? -EBADMSG : rc;
}
