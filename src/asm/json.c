#include "asm/report.h"

#include "asm/edges.h"
#include "base/text/jsonw.h"
#include "profile/accounts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE_MAX = 1400 };

static void put_address(struct jsonw *j, const char *key, uint64_t address)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    jsonw_member_text(j, key, text);
}

static void put_figure(struct jsonw *j, const struct asm_figure *f)
{
    jsonw_member_uint(j, "weight_ns", f->weight);
    jsonw_member_uint(j, "samples", f->samples);
    jsonw_member_number(j, "share", f->share);
    jsonw_key(j, "interval");
    jsonw_array(j);
    jsonw_number(j, f->interval.low);
    jsonw_number(j, f->interval.high);
    jsonw_array_end(j);
}

static void put_stack(const struct asm_recording *r, struct jsonw *j, uint32_t stack)
{
    const struct asm_stack *s = &r->stacks[stack];
    jsonw_key(j, "stack");
    jsonw_array(j);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct asm_frame *f = &r->frames[s->first + i];
        jsonw_object(j);
        jsonw_member_text(j, "method", asm_string(r, f->method));
        jsonw_key(j, "line");
        if (f->line > 0)
            jsonw_int(j, f->line);
        else
            jsonw_null(j);
        jsonw_key(j, "bci");
        jsonw_int(j, f->bci);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void put_line(const struct asm_report *a, struct jsonw *j, const struct asm_listing *l, const struct asm_region *region, uint32_t i)
{
    const struct asm_line *line = &l->lines[i];
    char text[ASM_INSTRUCTION_TEXT_MAX], bytes[2 * ASM_INSTRUCTION_BYTES_MAX + 1] = "", note[256];
    uint64_t address = l->snapshot->address + line->offset;
    uint32_t feeds = line->point ? asm_listing_feeds(l, i) : UINT32_MAX;
    const uint8_t *code = l->snapshot->bytes + line->offset;
    for (int k = 0; k < line->instruction.size && k < ASM_INSTRUCTION_BYTES_MAX; k++)
        snprintf(bytes + 2 * k, 3, "%02x", code[k]);
    asm_print(a->decoder, code, line->instruction.size, address, text, sizeof text);
    jsonw_object(j);
    put_address(j, "address", address);
    jsonw_member_text(j, "bytes", bytes);
    jsonw_member_text(j, "text", text);
    jsonw_member_text_or_null(j, "note", asm_note(a, l, i, note, sizeof note));
    jsonw_key(j, "consider");
    if (feeds == UINT32_MAX)
        jsonw_null(j);
    else {
        snprintf(note, sizeof note, "0x%" PRIx64, l->snapshot->address + l->lines[feeds].offset);
        jsonw_text(j, note);
    }
    put_stack(a->recording, j, asm_stack_at(l->snapshot, line->offset));
    if (line->point && line->offset >= region->begin && line->offset <= region->end)
        put_figure(j, &line->point->figure);
    jsonw_object_end(j);
}

static void put_edges(struct jsonw *j, const struct asm_listing *l, const struct asm_edges *e)
{
    jsonw_key(j, "jumps");
    jsonw_array(j);
    for (uint32_t i = 0; i < e->edge_count; i++) {
        jsonw_object(j);
        put_address(j, "from", l->snapshot->address + l->lines[e->edges[i].from].offset);
        put_address(j, "to", l->snapshot->address + l->lines[e->edges[i].to].offset);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static int put_code(const struct asm_report *a, struct jsonw *j, const struct asm_region *region)
{
    struct asm_listing l;
    struct asm_edges e = {0};
    const struct asm_point **points;
    uint32_t first, lines;
    int rc = asm_list(a, region, &l, &points);
    if (!rc) {
        asm_stretch(&l, region, &first, &lines);
        rc = asm_edges_make(&e, &l, first, lines);
        jsonw_key(j, "lines");
        jsonw_array(j);
        for (uint32_t i = first; !rc && i < first + lines; i++)
            put_line(a, j, &l, region, i);
        jsonw_array_end(j);
        put_edges(j, &l, &e);
    }
    asm_edges_deinit(&e);
    asm_listing_deinit(&l);
    free(points);
    return rc;
}

static int put_region(const struct asm_report *a, struct jsonw *j, const struct asm_region *region, bool listed)
{
    char title[TITLE_MAX];
    const struct asm_snapshot *s = region->snapshot ? &a->recording->snapshots[region->snapshot - 1] : NULL;
    jsonw_object(j);
    jsonw_member_text(j, "source", asm_string(a->recording, region->source));
    jsonw_member_text(j, "name", asm_string(a->recording, region->name));
    jsonw_member_text(j, "title", asm_region_title(a, region, title, sizeof title));
    put_figure(j, &region->figure);
    if (s) {
        jsonw_member_uint(j, "compile_id", s->compilation);
        jsonw_member_uint(j, "level", s->level);
        jsonw_member_uint(j, "version", s->version);
        jsonw_key(j, "osr_bci");
        if (s->entry_bci >= 0)
            jsonw_int(j, s->entry_bci);
        else
            jsonw_null(j);
        put_address(j, "code", s->address);
        jsonw_member_uint(j, "code_size", s->size);
        put_address(j, "begin", s->address + region->begin);
        put_address(j, "end", s->address + region->end);
    }
    int rc = s && listed ? put_code(a, j, region) : 0;
    jsonw_object_end(j);
    return rc;
}

static int put_regions(const struct asm_report *a, struct jsonw *j)
{
    int rc = 0;
    uint32_t number = 0;
    jsonw_key(j, "regions");
    jsonw_array(j);
    for (uint32_t i = 0; !rc && i < a->regions->count; i++) {
        bool listed = (!a->top || number < a->top) && asm_is_listed(a, &a->regions->regions[i]);
        number += listed;
        rc = put_region(a, j, &a->regions->regions[i], listed);
    }
    jsonw_array_end(j);
    return rc;
}

static void put_groups(const struct asm_report *a, struct jsonw *j, const char *key, const struct asm_group *groups, uint32_t count)
{
    jsonw_key(j, key);
    jsonw_array(j);
    for (uint32_t i = 0; i < count; i++) {
        jsonw_object(j);
        jsonw_member_text(j, "source", asm_string(a->recording, groups[i].source));
        if (groups[i].name)
            jsonw_member_text(j, "name", asm_string(a->recording, groups[i].name));
        jsonw_member_uint(j, "regions", groups[i].regions);
        put_figure(j, &groups[i].figure);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void put_books(const struct asm_report *a, struct jsonw *j)
{
    uint64_t ns, samples;
    bool booked = asm_booked(a->profile, &ns, &samples);
    jsonw_key(j, "books");
    if (!booked) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    jsonw_member_uint(j, "weight_ns", ns);
    jsonw_member_uint(j, "samples", samples);
    jsonw_key(j, "uncaptured");
    jsonw_object(j);
    for (uint32_t i = 0; i < a->profile->book_count; i++)
        if (accounts_is(a->profile, &a->profile->books[i], ACCOUNT_UNCAPTURED))
            jsonw_member_uint(j, profile_text(a->profile, a->profile->books[i].reason), a->profile->books[i].count);
    jsonw_object_end(j);
    jsonw_object_end(j);
}

static int put_code_facts(const struct asm_report *a, struct jsonw *j)
{
    uint64_t bytes, undecoded;
    int rc = asm_count_bytes(a, &bytes, &undecoded);
    if (rc)
        return rc;
    jsonw_key(j, "code");
    jsonw_object(j);
    jsonw_member_text(j, "processor", asm_string(a->recording, a->recording->processor));
    jsonw_member_uint(j, "snapshots", a->recording->snapshot_count);
    jsonw_member_uint(j, "bytes", bytes);
    jsonw_member_uint(j, "undecoded", undecoded);
    jsonw_object_end(j);
    return 0;
}

int asm_json(FILE *out, const struct asm_report *a)
{
    struct jsonw j;
    char event[96];
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_member_uint(&j, "format", 1);
    jsonw_member_text(&j, "file", a->file);
    jsonw_member_text(&j, "event", asm_event(a->profile, event, sizeof event));
    jsonw_member_text(&j, "unit", asm_counts_events(a->profile) ? "events" : "ns");
    jsonw_member_text(&j, "precision", "skid");
    jsonw_member_uint(&j, "problems", a->recording->problems.count);
    put_figure(&j, &a->regions->all);
    put_books(a, &j);
    int rc = put_code_facts(a, &j);
    if (!rc)
        rc = put_regions(a, &j);
    put_groups(a, &j, "methods", a->regions->methods, a->regions->method_count);
    put_groups(a, &j, "sources", a->regions->sources, a->regions->source_count);
    jsonw_object_end(&j);
    jsonw_finish(&j);
    return rc;
}
