#include "jfr/read/reader.h"

#include "base/array.h"
#include "jfr/read/input.h"
#include "jfr/read/reader_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- problems ---- */

void jfr_problem_add(struct jfr_problems *p, uint32_t chunk, uint64_t offset, const char *format, ...)
{
    if (!p)
        return;
    p->count++;
    if (p->listed == JFR_PROBLEMS_MAX)
        return;
    struct jfr_problem *problem = &p->list[p->listed++];
    problem->chunk = chunk;
    problem->offset = offset;
    va_list args;
    va_start(args, format);
    vsnprintf(problem->text, sizeof problem->text, format, args);
    va_end(args);
}

/* ---- where the chunks are ---- */

static bool header_at(const struct jfr_file *f, uint64_t offset)
{
    if (!f->bytes || f->size - offset < JFR_HEADER_BYTES)
        return false;
    const uint8_t *h = f->bytes + offset;
    uint64_t major = input_be(h + 4, 2);
    return !memcmp(h, "FLR", 4) && (major == 1 || major == 2);
}

/* Returns the offset of the next header at or after `from`, or the end of the file. */
static uint64_t find_header(const struct jfr_file *f, uint64_t from)
{
    while (from < f->size) {
        const uint8_t *at = memmem(f->bytes + from, f->size - from, "FLR", 4);
        if (!at)
            break;
        from = (uint64_t)(at - f->bytes);
        if (header_at(f, from))
            return from;
        from++;
    }
    return f->size;
}

static int add_chunk(struct jfr_file *f, uint64_t offset, uint64_t size, bool cut)
{
    if (ARRAY_GROW(f->chunks, f->chunk_cap, f->chunk_count))
        return -ENOMEM;
    f->chunks[f->chunk_count++] = (struct jfr_extent){offset, size, cut};
    return 0;
}

static int find_chunks(struct jfr_file *f, struct jfr_problems *problems)
{
    int rc = 0;
    for (uint64_t at = 0; at < f->size && !rc;) {
        if (!header_at(f, at)) {
            uint64_t next = find_header(f, at);
            jfr_problem_add(problems, JFR_NO_CHUNK, at,
                            "%" PRIu64 " bytes here belong to no chunk, perhaps after an interrupted write; skipped", next - at);
            at = next;
            continue;
        }
        uint64_t size = input_be(f->bytes + at + 8, 8);
        bool cut = size < JFR_HEADER_BYTES || size > f->size - at;
        if (cut) {
            uint64_t next = find_header(f, at + 1);
            jfr_problem_add(problems, f->chunk_count, at,
                            "the chunk's header says %" PRIu64 " bytes, there are %" PRIu64 "; the complete part is read", size, next - at);
            size = next - at;
        }
        rc = add_chunk(f, at, size, cut);
        at += size;
    }
    return rc;
}

/* ---- opening ---- */

static int refuse(const struct jfr_file *f, struct error *e)
{
    char begin[4 * 12 + 1];
    size_t n = f->size < 12 ? (size_t)f->size : 12, out = 0;
    if (*f->intake.damage)
        return error_set(e, -EINVAL, "%s: %s; the data are not a JFR recording", f->name, f->intake.damage);
    if (!f->size)
        return error_set(e, -EINVAL, "%s: not a JFR recording (it is empty)", f->name);
    if (n >= 4 && !memcmp(f->bytes, "FLR", 4) && f->size < JFR_HEADER_BYTES)
        return error_set(e, -EINVAL, "%s: a JFR recording that ends within its first header (%" PRIu64 " bytes)", f->name, f->size);
    if (n >= 8 && !memcmp(f->bytes, "FLR\0\0\0\0\x09", 8))
        return error_set(e, -EINVAL,
                         "%s: JFR version 0.9, of Oracle's JDK 7 and 8, cannot be read, only 1.x and 2.x; open it with JDK Mission "
                         "Control, or record with OpenJDK 8u262 or later, which write 2.x",
                         f->name);
    if (n >= 8 && !memcmp(f->bytes, "FLR", 4))
        return error_set(e, -EINVAL, "%s: JFR version %" PRIu64 ".%" PRIu64 " cannot be read, only 1.x and 2.x", f->name,
                         input_be(f->bytes + 4, 2), input_be(f->bytes + 6, 2));
    for (size_t i = 0; i < n; i++) {
        uint8_t c = f->bytes[i];
        bool plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
        out += (size_t)snprintf(begin + out, sizeof begin - out, plain ? "%c" : "\\x%02x", c);
    }
    return error_set(e, -EINVAL, "%s: not a JFR recording (it begins with \"%s\")", f->name, begin);
}

/* Refuses a file if none of its chunks can be read, so that it is not shown as an empty recording. Usually the first chunk can be read. */
static int find_readable(const struct jfr_file *f, struct error *e)
{
    struct jfr_problems *why = calloc(1, sizeof *why);
    int rc = why ? jfr_chunk_probe(f, 0, why) : -ENOMEM;
    if (rc == -EINVAL) /* the last problem made the first chunk unreadable */
        error_set(e, rc, "%s: a damaged JFR recording, no part of which can be read (at byte %" PRIu64 ": %s)", f->name,
                  why->list[why->listed - 1].offset, why->list[why->listed - 1].text);
    for (uint32_t i = 1; i < f->chunk_count && rc == -EINVAL; i++)
        rc = jfr_chunk_probe(f, i, NULL);
    free(why);
    return rc == -ENOMEM ? error_set(e, rc, "%s: no memory to read its chunks", f->name) : rc;
}

static int open_bytes(struct jfr_file *f, struct jfr_problems *problems, struct error *e)
{
    f->bytes = f->intake.bytes;
    f->size = f->intake.size;
    if (!header_at(f, 0))
        return refuse(f, e);
    if (*f->intake.damage)
        jfr_problem_add(problems, JFR_NO_CHUNK, f->size, "%s", f->intake.damage);
    if (find_chunks(f, problems))
        return error_set(e, -ENOMEM, "%s: no memory to list its chunks", f->name);
    return find_readable(f, e);
}

static struct jfr_file *file_new(const char *name, struct error *e)
{
    struct jfr_file *f = calloc(1, sizeof *f);
    if (f)
        f->name = strdup(name);
    if (!f || !f->name) {
        free(f);
        error_set(e, -ENOMEM, "%s: no memory to open it", name);
        return NULL;
    }
    return f;
}

static int finish(struct jfr_file **out, struct jfr_file *f, int rc)
{
    if (rc) {
        jfr_file_close(f);
        f = NULL;
    }
    *out = f;
    return rc;
}

int jfr_file_take(struct jfr_file **out, struct intake *in, const char *name, struct jfr_problems *problems, struct error *e)
{
    *out = NULL;
    struct jfr_file *f = file_new(name, e);
    if (!f) {
        intake_close(in);
        return -ENOMEM;
    }
    f->intake = *in;
    *in = (struct intake){0};
    return finish(out, f, open_bytes(f, problems, e));
}

int jfr_file_open(struct jfr_file **out, const char *path, struct jfr_problems *problems, struct error *e)
{
    struct intake in;
    *out = NULL;
    int rc = intake_open(&in, path, e);
    return rc ? rc : jfr_file_take(out, &in, intake_name(path), problems, e);
}

int jfr_file_open_memory(struct jfr_file **out, const void *bytes, size_t size, const char *name, struct jfr_problems *problems,
                         struct error *e)
{
    struct intake in;
    *out = NULL;
    int rc = intake_open_memory(&in, bytes, size, name, e);
    return rc ? rc : jfr_file_take(out, &in, name, problems, e);
}

void jfr_file_close(struct jfr_file *f)
{
    if (!f)
        return;
    intake_close(&f->intake);
    free(f->chunks);
    free(f->name);
    free(f);
}

uint32_t jfr_file_chunks(const struct jfr_file *f)
{
    return f->chunk_count;
}

uint64_t jfr_file_size(const struct jfr_file *f)
{
    return f->size;
}

const uint8_t *jfr_file_bytes(const struct jfr_file *f)
{
    return f->bytes;
}

bool jfr_file_is_closed(const struct jfr_file *f)
{
    const struct jfr_extent *last = &f->chunks[f->chunk_count - 1];
    return !last->cut && f->bytes[last->offset + JFR_HEADER_BYTES - 1] & 2;
}
