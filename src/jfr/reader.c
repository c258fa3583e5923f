#include "jfr/reader.h"

#include "base/array.h"
#include "jfr/input.h"
#include "jfr/reader_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAP_FROM_BYTES = 64 << 20, FIRST_READ_BYTES = 1 << 16 };

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

/* The next header at or behind `from`, or the end of the file. */
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
                            "%" PRIu64 " bytes here belong to no chunk (a write that was cut off?); skipped", next - at);
            at = next;
            continue;
        }
        uint64_t size = input_be(f->bytes + at + 8, 8);
        bool cut = size < JFR_HEADER_BYTES || size > f->size - at;
        if (cut) {
            uint64_t next = find_header(f, at + 1);
            jfr_problem_add(problems, f->chunk_count, at,
                            "the chunk's header says %" PRIu64 " bytes, there are %" PRIu64
                            "; read as far as it is whole",
                            size, next - at);
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
    if (!f->size)
        return error_set(e, -EINVAL, "%s: not a JFR recording (it is empty)", f->name);
    if (n >= 4 && !memcmp(f->bytes, "FLR", 4) && f->size < JFR_HEADER_BYTES)
        return error_set(e, -EINVAL, "%s: a JFR recording that was cut off within its first header (%" PRIu64 " bytes)",
                         f->name, f->size);
    if (n >= 8 && !memcmp(f->bytes, "FLR", 4))
        return error_set(e, -EINVAL, "%s: JFR version %" PRIu64 ".%" PRIu64 " cannot be read, only 1.x and 2.x", f->name,
                         input_be(f->bytes + 4, 2), input_be(f->bytes + 6, 2));
    for (size_t i = 0; i < n; i++) {
        uint8_t c = f->bytes[i];
        bool plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
        out += (size_t)snprintf(begin + out, sizeof begin - out, plain ? "%c" : "\\x%02x", c);
    }
    bool gzip = n >= 2 && f->bytes[0] == 0x1f && f->bytes[1] == 0x8b;
    return error_set(e, -EINVAL, "%s: not a JFR recording (it begins with \"%s\"%s)", f->name, begin,
                     gzip ? ": gzip, unpack it first" : "");
}

static int open_bytes(struct jfr_file *f, struct jfr_problems *problems, struct error *e)
{
    if (!header_at(f, 0))
        return refuse(f, e);
    if (find_chunks(f, problems))
        return error_set(e, -ENOMEM, "%s: no memory to list its chunks", f->name);
    return 0;
}

static int read_all(struct jfr_file *f, int fd, struct error *e)
{
    uint8_t *bytes = NULL;
    uint64_t cap = 0;
    for (;;) {
        if (f->size == cap) {
            cap = cap ? cap * 2 : FIRST_READ_BYTES;
            uint8_t *grown = cap > JFR_STDIN_MAX ? NULL : realloc(bytes, cap);
            if (!grown) {
                free(bytes);
                return error_set(e, -EFBIG, "%s: too large to be read into memory (%" PRIu64 " bytes so far); pass a file",
                                 f->name, f->size);
            }
            bytes = grown;
        }
        ssize_t n = read(fd, bytes + f->size, cap - f->size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            free(bytes);
            return error_set(e, -errno, "%s: cannot be read: %s", f->name, strerror(errno));
        }
        if (!n)
            break;
        f->size += (uint64_t)n;
    }
    f->bytes = bytes;
    f->held = JFR_ALLOCATED;
    return 0;
}

/* Small files are read, so that a writer at work on one cannot take pages away from under us. */
static int load(struct jfr_file *f, int fd, struct error *e)
{
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < MAP_FROM_BYTES)
        return read_all(f, fd, e);
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return error_set(e, -errno, "%s: cannot be mapped into memory: %s", f->name, strerror(errno));
    f->bytes = map;
    f->size = (uint64_t)st.st_size;
    f->held = JFR_MAPPED;
    return 0;
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

int jfr_file_open(struct jfr_file **out, const char *path, struct jfr_problems *problems, struct error *e)
{
    *out = NULL;
    bool standard = !strcmp(path, "-");
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(e, -errno, "%s: cannot be opened: %s", path, strerror(errno));
    struct jfr_file *f = file_new(standard ? "standard input" : path, e);
    int rc = f ? load(f, fd, e) : -ENOMEM;
    if (!standard)
        close(fd);
    if (f && !rc)
        rc = open_bytes(f, problems, e);
    return finish(out, f, rc);
}

int jfr_file_open_memory(struct jfr_file **out, const void *bytes, size_t size, const char *name,
                         struct jfr_problems *problems, struct error *e)
{
    *out = NULL;
    struct jfr_file *f = file_new(name, e);
    if (!f)
        return -ENOMEM;
    f->bytes = bytes;
    f->size = size;
    return finish(out, f, open_bytes(f, problems, e));
}

void jfr_file_close(struct jfr_file *f)
{
    if (!f)
        return;
    if (f->held == JFR_ALLOCATED)
        free((void *)f->bytes);
    if (f->held == JFR_MAPPED)
        munmap((void *)f->bytes, f->size);
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
