#include "asm/export.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    TITLE_MAX = 1400,
    JITDUMP_MAGIC = 0x4a695444,
    JITDUMP_VERSION = 1,
    HEADER_BYTES = 40,
    LOAD_BYTES = 56,
    LINES_BYTES = 32,
    LINE_BYTES = 16
};
enum record { CODE_LOAD = 0, CODE_LINES = 2, CODE_CLOSE = 3 };

/* ---- names by address ---- */

struct range {
    uint64_t begin, size;
    uint32_t name, age; /* name: string id; age: a higher one was seen later */
};

static int by_address(const void *left, const void *right)
{
    const struct range *a = left, *b = right;
    if (a->begin != b->begin)
        return (a->begin > b->begin) - (a->begin < b->begin);
    return (a->age > b->age) - (a->age < b->age);
}

static void print_range(FILE *out, const struct asm_recording *r, const struct range *range)
{
    fprintf(out, "%" PRIx64 " %" PRIx64 " ", range->begin, range->size);
    for (const char *c = asm_string(r, range->name); *c; c++)
        fputc((unsigned char)*c < ' ' ? '?' : *c, out);
    fputc('\n', out);
}

/* Collects all ranges. Captured stubs are in both lists: with their names, and as snapshots. */
static uint32_t collect(const struct asm_recording *r, struct range *all)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->name_count; i++)
        all[n++] = (struct range){r->names[i].address, r->names[i].size, r->names[i].name, 0};
    for (uint32_t i = 0; i < r->snapshot_count; i++)
        all[n++] = (struct range){r->snapshots[i].address, r->snapshots[i].size, r->snapshots[i].name, i + 1};
    return n;
}

int asm_export_perfmap(FILE *out, const struct asm_recording *r)
{
    struct range *all = calloc((size_t)r->name_count + r->snapshot_count + 1, sizeof *all);
    if (!all)
        return -ENOMEM;
    uint32_t count = collect(r, all), kept = 0;
    qsort(all, count, sizeof *all, by_address);
    for (uint32_t i = 0; i < count; i++) {
        struct range *last = kept ? &all[kept - 1] : NULL;
        if (!all[i].size || !all[i].name)
            continue;
        if (!last || all[i].begin - last->begin >= last->size)
            all[kept++] = all[i];
        else if (all[i].age > last->age)
            *last = all[i];
    }
    for (uint32_t i = 0; i < kept; i++)
        print_range(out, r, &all[i]);
    free(all);
    return 0;
}

/* ---- the code itself ---- */

static void put32(FILE *out, uint32_t v)
{
    fwrite(&v, sizeof v, 1, out);
}

static void put64(FILE *out, uint64_t v)
{
    fwrite(&v, sizeof v, 1, out);
}

static void put_record(FILE *out, enum record kind, uint64_t bytes, uint64_t ticks)
{
    put32(out, kind);
    put32(out, (uint32_t)bytes);
    put64(out, ticks);
}

/* Writes the source file of a method, by the convention of compilers: "app/Main.java" for app.Main$Inner.run. */
static void source_file(const char *method, char *out, size_t size)
{
    snprintf(out, size, "%.1000s", method);
    char *dot = strrchr(out, '.');
    if (dot)
        *dot = 0;
    out[strcspn(out, "$/")] = 0;
    for (char *c = out; *c; c++)
        *c = *c == '.' ? '/' : *c;
    size_t n = strlen(out);
    snprintf(out + n, size - n, ".java");
}

static const struct asm_frame *leaf(const struct asm_recording *r, const struct asm_place *p)
{
    const struct asm_stack *s = &r->stacks[p->stack];
    return s->count && r->frames[s->first].line > 0 ? &r->frames[s->first] : NULL;
}

/* Writes the lines. In the format a line is valid from its address on; a place is valid up to its end. */
static void put_lines(FILE *out, const struct asm_recording *r, const struct asm_snapshot *s)
{
    char file[1024];
    uint64_t bytes = LINES_BYTES, count = 0;
    for (uint32_t i = 0; i < s->place_count; i++)
        if (leaf(r, &s->places[i])) {
            source_file(asm_string(r, leaf(r, &s->places[i])->method), file, sizeof file);
            bytes += LINE_BYTES + strlen(file) + 1;
            count++;
        }
    if (!count || bytes > UINT32_MAX)
        return;
    put_record(out, CODE_LINES, bytes, s->ticks);
    put64(out, s->address);
    put64(out, count);
    for (uint32_t i = 0; i < s->place_count; i++) {
        const struct asm_frame *f = leaf(r, &s->places[i]);
        if (!f)
            continue;
        source_file(asm_string(r, f->method), file, sizeof file);
        put64(out, s->address + (i ? s->places[i - 1].end : 0));
        put32(out, (uint32_t)f->line);
        put32(out, 0);
        fwrite(file, strlen(file) + 1, 1, out);
    }
}

static void put_code(FILE *out, const struct asm_recording *r, const struct asm_snapshot *s, uint32_t pid, uint64_t index)
{
    char title[TITLE_MAX];
    size_t name = strlen(asm_title(r, s, title, sizeof title)) + 1;
    put_record(out, CODE_LOAD, LOAD_BYTES + name + s->size, s->ticks);
    put32(out, pid);
    put32(out, pid);
    put64(out, s->address);
    put64(out, s->address);
    put64(out, s->size);
    put64(out, index);
    fwrite(title, name, 1, out);
    fwrite(s->bytes, s->size, 1, out);
}

int asm_export_jitdump(FILE *out, const struct asm_recording *r, uint32_t pid)
{
    bool arm = !strcmp(asm_string(r, r->processor), "aarch64");
    uint64_t first = r->snapshot_count ? r->snapshots[0].ticks : 0, last = first;
    put32(out, JITDUMP_MAGIC);
    put32(out, JITDUMP_VERSION);
    put32(out, HEADER_BYTES);
    put32(out, arm ? EM_AARCH64 : EM_X86_64);
    put32(out, 0);
    put32(out, pid);
    put64(out, first);
    put64(out, 0);
    for (uint32_t i = 0; i < r->snapshot_count; i++) {
        put_lines(out, r, &r->snapshots[i]);
        put_code(out, r, &r->snapshots[i], pid, i);
        last = r->snapshots[i].ticks;
    }
    put_record(out, CODE_CLOSE, 16, last);
    return 0;
}
