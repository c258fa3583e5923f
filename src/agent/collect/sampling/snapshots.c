#include "agent/collect/sampling/snapshots.h"

#include "agent/hot/java/code.h"
#include "agent/hot/java/method.h"
#include "agent/hot/layout.h"
#include "agent/hot/load.h"
#include "agent/hot/record.h"
#include "agent/hotspot/codelets.h"
#include "agent/symbolize/native.h"
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INLINE_DEPTH_MAX = 256, NAME_MAX_BYTES = 64, PLACE_BYTES = 24, NAME_BYTES = 64, COPIES_MAX = 8 };

struct snapshot {
    uintptr_t begin, end;
    enum capture result;
    uint32_t next; /* index + 1 of the next snapshot with the same key: JDK 27 moves code, and the copy keeps its number */
};

struct place {
    uint32_t end, stack;
};

/* The facts about the code that is being captured. */
struct shot {
    uintptr_t begin, end, entry;
    const char *kind;
    char name[NAME_MAX_BYTES];
    uint32_t compilation, level, stack;
    int32_t entry_bci;
};

#define CAPTURE_NAME(symbol, name, meaning, remedy) [CAPTURE_##symbol] = name,
const char *const capture_names[CAPTURES] = {CAPTURES_OF_CODE(CAPTURE_NAME)};

int snapshots_begin(struct snapshots *s, struct recording *r, struct error *e)
{
    if (!vm_layout.usable || !vm_layout.nm_compile_id.width)
        return error_set(e, -ENOTSUP, "this JVM does not show where its compiled code is (%s); record without asm",
                         vm_layout.usable ? "nmethod::_compile_id" : vm_layout.missing);
    memset(s, 0, sizeof *s);
    map_init(&s->by_key);
    map_init(&s->methods);
    s->buffer = malloc(SNAPSHOT_BYTES_MAX + 2 * SNAPSHOT_BYTES_MAX + 1);
    if (!s->buffer)
        return error_set(e, -ENOMEM, "not enough memory for snapshots of code");
    s->bytes_max = keep_chunk_bytes(&r->keep) / SNAPSHOTS_CHUNK_PARTS;
    for (int i = 0; i < CAPTURES; i++)
        s->symbols[i] = strtab_add_text(&recording_names(r)->strings, capture_names[i]);
    s->recording = r;
    return 0;
}

void snapshots_end(struct snapshots *s)
{
    map_deinit(&s->by_key);
    map_deinit(&s->methods);
    free(s->list);
    free(s->places);
    free(s->buffer);
    memset(s, 0, sizeof *s);
}

void snapshots_new_chunk(struct snapshots *s)
{
    map_clear(&s->by_key);
    s->count = 0;
    s->bytes = 0;
    s->named = false;
}

/* ---- reading ---- */

static bool read_code(uint8_t *out, uintptr_t begin, uintptr_t end)
{
    for (uintptr_t at = begin; at < end;) {
        uint64_t word;
        bool whole = end - at >= sizeof word;
        if (whole ? !load_u64(at, &word) : !load_u8(at, out + (at - begin)))
            return false;
        if (whole)
            memcpy(out + (at - begin), &word, sizeof word);
        at += whole ? sizeof word : 1;
    }
    return true;
}

static void read_text(uint64_t at, char *out, size_t size)
{
    size_t n = 0;
    uint8_t c;
    while (n < size - 1 && load_u8(at + n, &c) && c >= ' ' && c < 0x7f)
        out[n++] = (char)c;
    out[n] = 0;
}

static bool is_same(uintptr_t pc, const struct code *c, uint32_t compilation)
{
    uint64_t number;
    const struct code now = code_find(pc);
    return now.blob == c->blob && now.kind == c->kind && now.begin == c->begin &&
           (!compilation || (load_field(c->blob, vm_layout.nm_compile_id, &number) && (uint32_t)number == compilation));
}

/* Finds the end of the code. This is the blob's end if no table gives the end of its code. */
static bool find_end(const struct code *c, uintptr_t *end)
{
    uint64_t size, at;
    if (!load_field(c->blob, vm_layout.blob_size, &size))
        return false;
    *end = c->blob + size;
    if (load_field(c->blob, vm_layout.blob_code_end, &at) && at > c->begin && at < *end)
        *end = at;
    else if (load_field(c->blob, vm_layout.blob_data_offset, &at) && c->blob + at > c->begin && c->blob + at < *end)
        *end = c->blob + at;
    return *end > c->begin;
}

/* ---- a compilation's debug information ---- */

static uint32_t method_id(struct snapshots *s, uintptr_t method)
{
    bool added;
    uint32_t id = 0, *known = map_add(&s->methods, method, &added);
    if (known && !added)
        return *known;
    if (!method_intern(method, &id))
        id = 0;
    if (known)
        *known = id;
    return id;
}

static uint32_t stack_at(struct snapshots *s, const struct code *c, uint32_t offset)
{
    uint64_t frames[INLINE_DEPTH_MAX];
    size_t count = 0;
    struct code_scopes scopes;
    struct code_scope scope;
    if (!code_scopes_begin(&scopes, c, c->begin + offset, false))
        return 0;
    while (count < INLINE_DEPTH_MAX && code_scopes_next(&scopes, &scope))
        frames[count++] = frame_java(scope.type, method_id(s, scope.method), scope.bci > 0 ? (uint32_t)scope.bci : 0);
    return count ? stacks_add(&recording_names(s->recording)->stacks, frames, count) << 1 : 0;
}

/* Adds a place, or extends the previous place if both have the same stack. */
static int add_place(struct snapshots *s, uint32_t end, uint32_t stack)
{
    if (s->place_count && s->places[s->place_count - 1].stack == stack) {
        s->places[s->place_count - 1].end = end;
        return 0;
    }
    if (s->place_count == SNAPSHOT_PLACES_MAX || ARRAY_GROW(s->places, s->place_cap, s->place_count))
        return -ENOMEM;
    s->places[s->place_count++] = (struct place){end, stack};
    return 0;
}

static void find_places(struct snapshots *s, const struct code *c, uintptr_t end)
{
    struct code_places places;
    uint32_t offset;
    s->place_count = 0;
    if (!code_places_begin(&places, c))
        return;
    while (code_places_next(&places, &offset) && offset <= end - c->begin)
        if (add_place(s, offset, stack_at(s, c, offset)))
            return;
}

static void describe_compilation(struct snapshots *s, const struct code *c, struct shot *shot)
{
    uint64_t level = 0, entry, method;
    int64_t bci = -1;
    load_field(c->blob, vm_layout.nm_comp_level, &level);
    load_signed(c->blob, vm_layout.nm_entry_bci, &bci);
    shot->level = (uint32_t)level;
    shot->entry_bci = (int32_t)bci;
    shot->entry = c->begin;
    if (load_field(c->blob, vm_layout.nm_verified_entry, &entry))
        shot->entry = vm_layout.nm_verified_entry.width == 8 ? entry : c->begin + entry;
    bool native = c->kind == CODE_NATIVE_WRAPPER;
    shot->kind = native ? "native wrapper" : level >= 1 && level <= 3 ? "C1" : "C2";
    unsigned type = native ? FRAME_NATIVE_METHOD : level >= 1 && level <= 3 ? JFR_FRAME_C1 : JFR_FRAME_C2;
    map_clear(&s->methods);
    if (load_field(c->blob, vm_layout.nm_method, &method) && method) {
        uint64_t frame = frame_java(type, method_id(s, method), 0);
        shot->stack = stacks_add(&recording_names(s->recording)->stacks, &frame, 1) << 1;
    }
}

/* ---- writing ---- */

#if defined(__x86_64__)
static const char processor[] = "x86_64";
#elif defined(__aarch64__)
static const char processor[] = "aarch64";
#endif

/* Writes the names of stubs, once per chunk, so that the targets of calls have names even if no sample fell in them. */
static void write_names(struct snapshots *s, uint64_t ticks)
{
    uintptr_t begin, end;
    char name[NAME_MAX_BYTES];
    jfr_write_setting(s->recording->writer, ticks, "code_processor", processor);
    for (uint32_t i = 0; s->bytes + NAME_BYTES < s->bytes_max / 2 && native_stub_at(i, &begin, &end, name, sizeof name); i++) {
        jfr_write_code_name(s->recording->writer, ticks, name, begin, (uint32_t)(end - begin));
        s->bytes += NAME_BYTES;
    }
    s->named = true;
}

/* Writes the bytes as hexadecimal digits, after the bytes in the buffer, because the JDK's own `jfr print` fails for an array of
 * bytes. */
static const char *in_digits(struct snapshots *s, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    char *text = (char *)s->buffer + SNAPSHOT_BYTES_MAX;
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[s->buffer[i] >> 4];
        text[2 * i + 1] = digits[s->buffer[i] & 15];
    }
    text[2 * count] = 0;
    return text;
}

static uint64_t cost_of(const struct snapshots *s, const struct shot *shot)
{
    return 2 * (shot->end - shot->begin) + (uint64_t)s->place_count * PLACE_BYTES;
}

static void write_shot(struct snapshots *s, uint64_t ticks, const struct shot *shot)
{
    struct jfr_writer *w = s->recording->writer;
    struct jfr_code_snapshot event = {.ticks = ticks,
                                      .stack = shot->stack,
                                      .kind = shot->kind,
                                      .name = shot->name,
                                      .compilation = shot->compilation,
                                      .level = shot->level,
                                      .entry_bci = shot->entry_bci,
                                      .address = shot->begin,
                                      .entry = shot->entry,
                                      .code = in_digits(s, shot->end - shot->begin)};
    if (!s->named)
        write_names(s, ticks);
    jfr_write_code_snapshot(w, &event);
    for (uint32_t i = 0; i < s->place_count; i++)
        jfr_write_code_place(w, ticks, s->places[i].stack, shot->compilation, shot->begin, s->places[i].end);
    s->bytes += cost_of(s, shot);
}

/* Writes the code between these bounds, if it is still the code for which they were found. */
static enum capture take_code(struct snapshots *s, uint64_t ticks, struct shot *shot, uintptr_t pc, const struct code *c)
{
    if (shot->end - shot->begin > SNAPSHOT_BYTES_MAX || s->bytes + cost_of(s, shot) > s->bytes_max)
        return CAPTURE_LIMIT;
    if (!read_code(s->buffer, shot->begin, shot->end))
        return CAPTURE_UNREADABLE;
    if (c && !is_same(pc, c, shot->compilation))
        return CAPTURE_GONE;
    write_shot(s, ticks, shot);
    return CAPTURE_DONE;
}

static enum capture take_compilation(struct snapshots *s, uint64_t ticks, uintptr_t pc, struct shot *shot)
{
    const struct code c = code_find(pc);
    if (!code_is_compiled(&c) || code_compilation(pc) != shot->compilation)
        return CAPTURE_GONE;
    shot->begin = c.begin;
    if (!find_end(&c, &shot->end) || pc < shot->begin || pc >= shot->end)
        return CAPTURE_UNREADABLE;
    describe_compilation(s, &c, shot);
    find_places(s, &c, shot->end);
    return take_code(s, ticks, shot, pc, &c);
}

/* Finds code that is neither compiled nor native: a stub, or a part of the interpreter. */
static enum capture find_stub(uintptr_t pc, struct shot *shot)
{
    const struct code c = code_find(pc);
    struct codelet part;
    uint64_t name;
    shot->kind = "stub";
    if (c.kind == CODE_NMETHOD || c.kind == CODE_NATIVE_WRAPPER)
        return CAPTURE_GONE;
    if (codelet_find(pc, &part)) {
        shot->kind = "interpreter";
        shot->begin = part.begin;
        shot->end = part.end;
        memcpy(shot->name, part.name, sizeof shot->name);
        return CAPTURE_DONE;
    }
    if (native_stub(pc, &shot->begin, &shot->end, shot->name, sizeof shot->name)) {
        if (c.kind == CODE_INTERPRETER)
            shot->kind = "interpreter";
        return CAPTURE_DONE;
    }
    if (!c.blob || !find_end(&c, &shot->end) || pc < c.begin)
        return CAPTURE_GONE;
    shot->begin = c.begin;
    if (load_address(c.blob, vm_layout.blob_name, &name))
        read_text(name, shot->name, sizeof shot->name);
    return CAPTURE_DONE;
}

/* ---- samples ---- */

static void remember(struct snapshots *s, uint64_t key, struct snapshot snapshot)
{
    bool added;
    if (ARRAY_GROW(s->list, s->cap, s->count))
        return;
    uint32_t *index = map_add(&s->by_key, key, &added);
    if (!index)
        return;
    snapshot.next = *index;
    s->list[s->count++] = snapshot;
    *index = s->count;
}

/* Returns the snapshot that contains pc, or one whose capture has failed for good. */
static const struct snapshot *find(const struct snapshots *s, uint64_t key, uintptr_t pc)
{
    const uint32_t *index = map_find(&s->by_key, key);
    for (uint32_t i = index ? *index : 0, steps = 0; i && steps < COPIES_MAX; i = s->list[i - 1].next, steps++)
        if (s->list[i - 1].result != CAPTURE_DONE || (pc >= s->list[i - 1].begin && pc < s->list[i - 1].end))
            return &s->list[i - 1];
    return NULL;
}

static uint64_t compilation_key(uint32_t compilation)
{
    return UINT64_C(1) << 63 | compilation;
}

static struct snapshot take(struct snapshots *s, uint64_t ticks, uintptr_t pc, uint32_t compilation)
{
    struct shot shot = {.compilation = compilation, .entry_bci = -1};
    enum capture result = CAPTURE_DONE;
    uint64_t key = compilation_key(compilation);
    if (!compilation) {
        result = find_stub(pc, &shot);
        if (result != CAPTURE_DONE)
            return (struct snapshot){.result = result};
        key = shot.entry = shot.begin;
    }
    const struct snapshot *known = find(s, key, pc);
    if (known)
        return *known;
    s->place_count = 0;
    result = compilation ? take_compilation(s, ticks, pc, &shot) : take_code(s, ticks, &shot, pc, NULL);
    struct snapshot taken = {.begin = shot.begin, .end = shot.end, .result = result};
    remember(s, key, taken); /* if there is no memory to note it, it will be written again */
    return taken;
}

void snapshots_sample(struct snapshots *s, const struct jfr_cpu_sample *sample, uint32_t compilation)
{
    if (!s->recording)
        return;
    struct snapshot at = {.result = CAPTURE_NATIVE};
    if (code_contains(sample->pc))
        at = take(s, sample->ticks, sample->pc, compilation);
    struct jfr_code_sample event = {.ticks = sample->ticks,
                                    .stack = sample->stack,
                                    .weight_ns = sample->weight_ns,
                                    .pc = sample->pc,
                                    .compilation = compilation,
                                    .code = at.result == CAPTURE_DONE ? at.begin : 0,
                                    .capture = s->symbols[at.result]};
    jfr_write_code_sample(s->recording->writer, &event);
    if (at.result > CAPTURE_NATIVE) {
        s->uncaptured[at.result].ns += (int64_t)sample->weight_ns;
        s->uncaptured[at.result].count++;
    }
}
