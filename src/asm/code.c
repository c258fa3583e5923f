#include "asm/code.h"

#include "base/array.h"
#include "compress/intake.h"
#include "base/buffer.h"
#include "base/text/stable_name.h"
#include "jfr/read/once.h"
#include "jfr/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_PER_STACK_MAX = 256, NAME_TEXT_MAX = 2048, CHAIN_MAX = 64 };

/* Reads one file. */
struct loading {
    struct asm_recording *r;
    struct jfr_chunk *chunk;
    struct map methods; /* chunk's key -> string id */
    struct map stacks;  /* chunk's key -> stack */
    const struct jfr_type *sample, *snapshot, *place, *name, *setting;
};

int asm_recording_init(struct asm_recording *r)
{
    memset(r, 0, sizeof *r);
    map_init(&r->by_key);
    map_init(&r->by_compilation);
    if (strtab_init(&r->strings))
        return -ENOMEM;
    if (ARRAY_GROW(r->stacks, r->stack_cap, r->stack_count)) {
        strtab_deinit(&r->strings);
        return -ENOMEM;
    }
    r->stacks[r->stack_count++] = (struct asm_stack){0, 0};
    return 0;
}

void asm_recording_deinit(struct asm_recording *r)
{
    for (uint32_t i = 0; i < r->snapshot_count; i++) {
        free(r->snapshots[i].bytes);
        free(r->snapshots[i].places);
    }
    free(r->snapshots);
    free(r->samples);
    free(r->names);
    free(r->stacks);
    free(r->frames);
    map_deinit(&r->by_key);
    map_deinit(&r->by_compilation);
    strtab_deinit(&r->strings);
    memset(r, 0, sizeof *r);
}

/* ---- fields ---- */

static struct jfr_value value(struct jfr_event *event, const char *field)
{
    return jfr_event_value(event, jfr_type_field(event->type, field));
}

static uint64_t number(struct jfr_event *event, const char *field)
{
    return (uint64_t)jfr_value_int(value(event, field));
}

/* Interns a text with its stable name, so that a method is the same one whatever class the JVM generated for it this time. */
static uint32_t stable_text(struct asm_recording *r, const char *bytes, size_t len, bool of_library)
{
    struct buffer b;
    buffer_init(&b, NAME_TEXT_MAX);
    (of_library ? stable_name_put_library : stable_name_put)(&b, bytes, len);
    uint32_t string = b.len ? strtab_add(&r->strings, (const char *)b.data, b.len) : 0;
    buffer_deinit(&b);
    return string;
}

static uint32_t text(struct asm_recording *r, struct jfr_event *event, const char *field)
{
    struct jfr_text t = jfr_value_text(value(event, field));
    return t.len ? strtab_add(&r->strings, t.bytes, t.len < NAME_TEXT_MAX ? t.len : NAME_TEXT_MAX) : 0;
}

/* ---- stacks ---- */

static uint32_t method_name(struct loading *l, const struct jfr_frame_info *frame)
{
    struct jfr_method_info m;
    bool added = true;
    char name[NAME_TEXT_MAX];
    uint32_t *known = frame->method_key ? map_add(&l->methods, frame->method_key, &added) : NULL;
    if (known && !added)
        return *known;
    if (!jfr_method_of(frame->method, &m))
        return 0;
    snprintf(name, sizeof name, "%.*s%s%.*s", (int)(m.class_name.len < 1000 ? m.class_name.len : 1000), m.class_name.bytes,
             m.class_name.len ? "." : "", (int)(m.name.len < 1000 ? m.name.len : 1000), m.name.bytes);
    uint32_t string = stable_text(l->r, name, strlen(name), false);
    if (known)
        *known = string;
    return string;
}

static int read_stack(void *context, struct jfr_value trace, uint32_t *stack)
{
    struct loading *l = context;
    struct asm_recording *r = l->r;
    struct jfr_stack frames;
    struct jfr_frame_info frame;
    struct asm_stack s = {.first = r->frame_count};
    if (!jfr_stack_of(trace, &frames))
        return 0;
    while (s.count < FRAMES_PER_STACK_MAX && jfr_stack_next(&frames, &frame)) {
        if (ARRAY_GROW(r->frames, r->frame_cap, r->frame_count))
            return -ENOMEM;
        r->frames[r->frame_count++] = (struct asm_frame){method_name(l, &frame), frame.line, jfr_frame_bci(frame.bci)};
        s.count++;
    }
    if (ARRAY_GROW(r->stacks, r->stack_cap, r->stack_count))
        return -ENOMEM;
    *stack = r->stack_count;
    r->stacks[r->stack_count++] = s;
    return 0;
}

static int stack_of(struct loading *l, struct jfr_event *event, uint32_t *stack)
{
    return jfr_event_once(event, jfr_type_field(event->type, "stackTrace"), &l->stacks, read_stack, l, stack);
}

/* ---- snapshots ---- */

static uint64_t snapshot_key(uint32_t compilation, uint64_t address)
{
    return hash_mix(address) ^ compilation;
}

/* Returns the last snapshot that was read of that compilation, or, without a compilation, at that place; index + 1. */
static uint32_t find_snapshot(const struct asm_recording *r, uint32_t compilation, uint64_t address)
{
    const uint32_t *index = map_find(&r->by_key, snapshot_key(compilation, address));
    for (uint32_t i = index ? *index : 0, steps = 0; i && steps < CHAIN_MAX; i = r->snapshots[i - 1].next, steps++)
        if (r->snapshots[i - 1].compilation == compilation && r->snapshots[i - 1].address == address)
            return i;
    return 0;
}

/* Whether the snapshot is already known. Each chunk repeats the snapshots of its own samples. Stubs have no compilation number: two are
 * the same if their bytes are. */
static bool is_known(const struct asm_recording *r, const struct asm_snapshot *s, uint32_t *index)
{
    *index = find_snapshot(r, s->compilation, s->address);
    if (!*index)
        return false;
    const struct asm_snapshot *known = &r->snapshots[*index - 1];
    return known->size == s->size && known->name == s->name && known->kind == s->kind &&
           (s->compilation || !memcmp(known->bytes, s->bytes, s->size));
}

static int add_snapshot(struct asm_recording *r, struct asm_snapshot *s)
{
    bool added;
    uint32_t index;
    if (is_known(r, s, &index)) {
        free(s->bytes);
        return 0;
    }
    if (ARRAY_GROW(r->snapshots, r->snapshot_cap, r->snapshot_count)) {
        free(s->bytes);
        return -ENOMEM;
    }
    uint32_t *place = map_add(&r->by_key, snapshot_key(s->compilation, s->address), &added);
    if (!place) {
        free(s->bytes);
        return -ENOMEM;
    }
    s->next = *place;
    r->snapshots[r->snapshot_count++] = *s;
    *place = r->snapshot_count;
    uint32_t *last = s->compilation ? map_add(&r->by_compilation, s->compilation, &added) : NULL;
    if (last)
        *last = r->snapshot_count;
    return s->compilation && !last ? -ENOMEM : 0;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads code in pairs of hexadecimal digits. Other text is not code. */
static int copy_code(struct jfr_event *event, struct asm_snapshot *s)
{
    struct jfr_text code = jfr_value_text(value(event, "code"));
    if (!code.len || code.len % 2 || code.len / 2 > ASM_SNAPSHOT_BYTES_MAX)
        return 0;
    s->bytes = malloc(code.len / 2);
    if (!s->bytes)
        return -ENOMEM;
    for (size_t i = 0; i < code.len; i += 2) {
        int high = digit(code.bytes[i]), low = digit(code.bytes[i + 1]);
        if (high < 0 || low < 0)
            return 0;
        s->bytes[i / 2] = (uint8_t)(high << 4 | low);
    }
    s->size = (uint32_t)(code.len / 2);
    return 0;
}

static int on_snapshot(struct loading *l, struct jfr_event *event)
{
    struct asm_recording *r = l->r;
    struct asm_snapshot s = {.ticks = number(event, "startTime"),
                             .address = number(event, "address"),
                             .entry = number(event, "entry"),
                             .compilation = (uint32_t)number(event, "compilation"),
                             .level = (uint32_t)number(event, "level"),
                             .entry_bci = (int32_t)number(event, "entryBci"),
                             .kind = text(r, event, "kind"),
                             .name = text(r, event, "name")};
    uint32_t stack;
    int rc = stack_of(l, event, &stack);
    if (!rc)
        rc = copy_code(event, &s);
    if (rc || !s.size || s.address + s.size < s.address) {
        free(s.bytes);
        return rc;
    }
    if (stack && r->stacks[stack].count)
        s.name = r->frames[r->stacks[stack].first].method;
    return add_snapshot(r, &s);
}

/* Adds a place after the previous one. Places of the same code that a later chunk repeats are skipped. */
static int on_place(struct loading *l, struct jfr_event *event)
{
    struct asm_recording *r = l->r;
    uint32_t index = find_snapshot(r, (uint32_t)number(event, "compilation"), number(event, "address")), stack;
    uint64_t end = number(event, "end");
    struct asm_snapshot *s = index ? &r->snapshots[index - 1] : NULL;
    if (!s || end > s->size || (s->place_count && end <= s->places[s->place_count - 1].end))
        return 0;
    int rc = stack_of(l, event, &stack);
    if (rc || ARRAY_GROW(s->places, s->place_cap, s->place_count))
        return -ENOMEM;
    s->places[s->place_count++] = (struct asm_place){(uint32_t)end, stack};
    return 0;
}

static int on_name(struct loading *l, struct jfr_event *event)
{
    struct asm_recording *r = l->r;
    struct asm_name n = {number(event, "address"), (uint32_t)number(event, "size"), text(r, event, "name")};
    if (ARRAY_GROW(r->names, r->name_cap, r->name_count))
        return -ENOMEM;
    r->names[r->name_count++] = n;
    return 0;
}

/* ---- samples ---- */

/* Finds the snapshot of a sample. If a chunk ended before the code was captured, the code is found in another chunk by the number of its
 * compilation. */
static uint32_t snapshot_of(const struct asm_recording *r, uint64_t pc, uint64_t code, uint32_t compilation)
{
    uint32_t index = code ? find_snapshot(r, compilation, code) : 0;
    const uint32_t *last = !code && compilation ? map_find(&r->by_compilation, compilation) : NULL;
    if (last)
        index = *last;
    const struct asm_snapshot *s = index ? &r->snapshots[index - 1] : NULL;
    return s && pc >= s->address && pc - s->address < s->size ? index : 0;
}

static uint32_t word(struct asm_recording *r, const char *text)
{
    return strtab_add_text(&r->strings, text);
}

/* Returns the source of code without a snapshot, as the agent describes it. */
static uint32_t source_without(struct asm_recording *r, struct jfr_event *event)
{
    char source[128];
    struct jfr_text capture = jfr_value_text(value(event, "capture"));
    if (!capture.len || jfr_text_is(capture, "native") || jfr_text_is(capture, "captured"))
        return word(r, "unknown");
    snprintf(source, sizeof source, "not captured: %.*s", (int)(capture.len < 100 ? capture.len : 100), capture.bytes);
    return word(r, source);
}

static uint32_t short_name(struct asm_recording *r, struct jfr_text name)
{
    bool of_library = name.len && *name.bytes == '[';
    return name.len ? stable_text(r, name.bytes, name.len < NAME_TEXT_MAX ? name.len : NAME_TEXT_MAX, of_library) : word(r, "[unknown]");
}

/* Names a sample without a snapshot by its leaf frame, in the same way as the report of stacks. */
static void name_by_leaf(struct loading *l, struct jfr_event *event, struct asm_sample *s)
{
    struct asm_recording *r = l->r;
    struct jfr_frame_info frame;
    struct jfr_method_info m;
    s->source = source_without(r, event);
    s->name = word(r, "[unknown]");
    if (!jfr_stack_leaf(value(event, "stackTrace"), &frame) || !jfr_method_of(frame.method, &m))
        return;
    bool native = jfr_text_is(jfr_value_text(value(event, "capture")), "native");
    if (s->in_kernel)
        s->source = word(r, "kernel");
    else if (native && jfr_text_is(frame.type, "Failed"))
        s->source = word(r, "no stack");
    else if (native && jfr_text_is(frame.type, "Native") && m.class_name.len)
        s->source = stable_text(r, m.class_name.bytes, m.class_name.len < NAME_TEXT_MAX ? m.class_name.len : NAME_TEXT_MAX, true);
    bool java = !s->in_kernel && !jfr_text_is(frame.type, "Native") && !jfr_text_is(frame.type, "Failed");
    s->name = java ? method_name(l, &frame) : short_name(r, m.name);
}

static bool is_kernel(struct jfr_event *event)
{
    struct jfr_frame_info frame;
    return jfr_stack_leaf(value(event, "stackTrace"), &frame) && jfr_text_is(frame.type, "Kernel");
}

static int on_sample(struct loading *l, struct jfr_event *event)
{
    struct asm_recording *r = l->r;
    struct asm_sample s = {.time_ns = jfr_event_epoch_ns(event), .pc = number(event, "pc"), .weight = number(event, "weight")};
    s.in_kernel = is_kernel(event);
    if (!s.in_kernel)
        s.snapshot = snapshot_of(r, s.pc, number(event, "code"), (uint32_t)number(event, "compilation"));
    if (!s.snapshot)
        name_by_leaf(l, event, &s);
    if (ARRAY_GROW(r->samples, r->sample_cap, r->sample_count))
        return -ENOMEM;
    if (s.weight > UINT64_MAX / 2 - r->weight)
        s.weight = 0;
    r->weight += s.weight;
    r->samples[r->sample_count++] = s;
    return 0;
}

static int on_setting(struct loading *l, struct jfr_event *event)
{
    if (jfr_text_is(jfr_value_text(value(event, "name")), "code_processor"))
        l->r->processor = text(l->r, event, "value");
    return 0;
}

/* ---- the file ---- */

static int read_event(struct loading *l, struct jfr_event *event)
{
    const struct jfr_type *t = event->type;
    return t == l->sample     ? on_sample(l, event)
           : t == l->snapshot ? on_snapshot(l, event)
           : t == l->place    ? on_place(l, event)
           : t == l->name     ? on_name(l, event)
           : t == l->setting  ? on_setting(l, event)
                              : 0;
}

static int read_chunk(struct loading *l)
{
    struct jfr_cursor cursor = jfr_cursor_init(l->chunk);
    struct jfr_event event;
    int rc = 0;
    l->sample = jfr_chunk_type(l->chunk, "candor.CodeSample");
    l->snapshot = jfr_chunk_type(l->chunk, "candor.CodeSnapshot");
    l->place = jfr_chunk_type(l->chunk, "candor.CodePlace");
    l->name = jfr_chunk_type(l->chunk, "candor.CodeName");
    l->setting = jfr_chunk_type(l->chunk, "candor.Setting");
    map_clear(&l->methods);
    map_clear(&l->stacks);
    while (!rc && jfr_cursor_next(&cursor, &event))
        rc = read_event(l, &event);
    return rc;
}

static int by_address(const void *left, const void *right)
{
    const struct asm_name *a = left, *b = right;
    return a->address != b->address ? (a->address > b->address) - (a->address < b->address) : (a->size > b->size) - (a->size < b->size);
}

/* Sorts the names and removes duplicates, because chunks repeat them. */
static void sort_names(struct asm_recording *r)
{
    uint32_t kept = 0;
    if (r->name_count)
        qsort(r->names, r->name_count, sizeof *r->names, by_address);
    for (uint32_t i = 0; i < r->name_count; i++)
        if (!kept || r->names[i].address != r->names[kept - 1].address || r->names[i].name != r->names[kept - 1].name)
            r->names[kept++] = r->names[i];
    r->name_count = kept;
}

struct versioned {
    uint32_t name, compilation, index;
};

static int by_compilation(const void *left, const void *right)
{
    const struct versioned *a = left, *b = right;
    if (a->name != b->name)
        return (a->name > b->name) - (a->name < b->name);
    return a->compilation != b->compilation ? (a->compilation > b->compilation) - (a->compilation < b->compilation)
                                            : (a->index > b->index) - (a->index < b->index);
}

static int count_versions(struct asm_recording *r)
{
    struct versioned *all = calloc(r->snapshot_count + 1u, sizeof *all);
    if (!all)
        return -ENOMEM;
    for (uint32_t i = 0; i < r->snapshot_count; i++)
        all[i] = (struct versioned){r->snapshots[i].name, r->snapshots[i].compilation, i};
    qsort(all, r->snapshot_count, sizeof *all, by_compilation);
    for (uint32_t i = 0, version = 0; i < r->snapshot_count; i++) {
        version = i && all[i].name == all[i - 1].name ? version + 1 : 1;
        r->snapshots[all[i].index].version = version;
    }
    free(all);
    return 0;
}

static int read_file(struct loading *l, const struct jfr_file *file, struct error *e)
{
    struct asm_recording *r = l->r;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < jfr_file_chunks(file); i++) {
        rc = jfr_chunk_open(&l->chunk, file, i, &r->problems, e);
        if (!rc && l->chunk)
            rc = read_chunk(l);
        jfr_chunk_close(l->chunk);
        l->chunk = NULL;
    }
    sort_names(r);
    return rc ? rc : count_versions(r);
}

static int load_file(struct asm_recording *r, struct jfr_file *file, const char *name, struct error *e)
{
    struct loading l = {.r = r};
    map_init(&l.methods);
    map_init(&l.stacks);
    int rc = read_file(&l, file, e);
    map_deinit(&l.methods);
    map_deinit(&l.stacks);
    jfr_file_close(file);
    if (rc)
        return error_set(e, rc, "%s: %s", name, strerror(-rc));
    if (!r->sample_count)
        return error_set(e, -ENOENT, "%s: no samples of machine code in this recording; record with --asm", name);
    return 0;
}

int asm_recording_load(struct asm_recording *r, const char *path, struct error *e)
{
    struct jfr_file *file;
    int rc = jfr_file_open(&file, path, &r->problems, e);
    return rc ? rc : load_file(r, file, path, e);
}

int asm_recording_load_from(struct asm_recording *r, const struct intake *in, const char *name, struct error *e)
{
    struct jfr_file *file;
    struct intake view;
    intake_view(&view, in);
    int rc = jfr_file_take(&file, &view, name, &r->problems, e);
    return rc ? rc : load_file(r, file, name, e);
}

/* ---- queries ---- */

uint32_t asm_stack_at(const struct asm_snapshot *s, uint32_t offset)
{
    uint32_t low = 0, high = s->place_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (s->places[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->place_count ? s->places[low].stack : 0;
}

static const struct asm_snapshot *snapshot_at(const struct asm_recording *r, uint64_t address)
{
    for (uint32_t i = r->snapshot_count; i-- > 0;)
        if (address >= r->snapshots[i].address && address - r->snapshots[i].address < r->snapshots[i].size)
            return &r->snapshots[i];
    return NULL;
}

const char *asm_name_at(const struct asm_recording *r, uint64_t address, uint64_t *offset)
{
    uint32_t low = 0, high = r->name_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (r->names[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low && address - r->names[low - 1].address < r->names[low - 1].size) {
        *offset = address - r->names[low - 1].address;
        return asm_string(r, r->names[low - 1].name);
    }
    const struct asm_snapshot *s = snapshot_at(r, address);
    if (!s)
        return NULL;
    *offset = address - s->address;
    return asm_string(r, s->name);
}

char *asm_source(const struct asm_recording *r, const struct asm_snapshot *s, char *out, size_t size)
{
    const char *kind = asm_string(r, s->kind);
    if (!strcmp(kind, "C1") || !strcmp(kind, "C2"))
        snprintf(out, size, "%s, level %" PRIu32, kind, s->level);
    else
        snprintf(out, size, "%s", *kind ? kind : "unknown");
    return out;
}

char *asm_title(const struct asm_recording *r, const struct asm_snapshot *s, char *out, size_t size)
{
    const char *name = asm_string(r, s->name);
    int n = snprintf(out, size, "%.1000s", *name ? name : "[unknown]");
    if (s->compilation && n >= 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, ", version %" PRIu32 ", compile id %" PRIu32, s->version, s->compilation);
    if (s->compilation && s->entry_bci >= 0 && n >= 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, " (OSR at bci %" PRId32 ")", s->entry_bci);
    return out;
}
