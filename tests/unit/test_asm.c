/*
 * Machine code in recordings: it is read as it was written, code is never mistaken for the code that was at its place before, every
 * sample is in exactly one region, and instructions and jumps are found. Hostile recordings do no harm.
 * tier: quick
 * timeout: 120
 * aarch64: yes
 */
#include "../tap.h"

#include "asm/code.h"
#include "asm/decode.h"
#include "asm/edges.h"
#include "asm/export.h"
#include "asm/listing.h"
#include "asm/regions.h"
#include "asm/report.h"
#include "base/time_units.h"
#include "jfr/write/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed = 20;

static uint32_t draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}

/* ---- a recording made by the test ---- */

enum { S_CAPTURED = 1, S_NATIVE, S_GONE, S_CLASS, S_LOOP, S_INNER, S_DESCRIPTOR, S_LIBRARY, S_FUNCTION, S_KERNEL, S_IDLE };
static const char *const symbols[] = {"",      "captured", "native", "gone",   "app.Main", "loop",
                                      "inner", "()V",      "libc",   "memcpy", "kernel",   "do_idle"};
static const struct jfr_method methods[] = {{0},
                                            {S_CLASS, S_LOOP, S_DESCRIPTOR},
                                            {S_CLASS, S_INNER, S_DESCRIPTOR},
                                            {S_LIBRARY, S_FUNCTION, 0},
                                            {S_KERNEL, S_IDLE, 0}};
enum { STACK_LOOP = 1, STACK_INNER, STACK_NATIVE, STACK_KERNEL };

static size_t stack_of(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated)
{
    static const struct jfr_frame loop = {1, 12, 5, JFR_FRAME_C2}, inner = {2, 30, 7, JFR_FRAME_INLINED},
                                  native = {3, 0, 0, JFR_FRAME_NATIVE}, kernel = {4, 0, 0, JFR_FRAME_KERNEL};
    *truncated = false;
    frames[0] = id == STACK_INNER ? inner : id == STACK_NATIVE ? native : id == STACK_KERNEL ? kernel : loop;
    frames[1] = loop;
    return id == STACK_LOOP ? 1 : 2;
}

static void method_of(void *context, uint32_t id, struct jfr_method *method)
{
    *method = methods[id];
}

static void thread_of(void *context, uint32_t id, struct jfr_thread *thread)
{
    *thread = (struct jfr_thread){0};
}

static const char *symbol_of(void *context, uint32_t id, size_t *len)
{
    *len = strlen(symbols[id]);
    return symbols[id];
}

static char path[64];

static struct jfr_writer *begin(void)
{
    struct jfr_writer_options options = {.ticks_per_second = NS_PER_S, .start_ticks = NS_PER_S, .start_epoch_ns = 17 * NS_PER_S};
    struct jfr_pools pools = {NULL, stack_of, method_of, thread_of, symbol_of};
    struct jfr_writer *w = NULL;
    struct error e;
    snprintf(path, sizeof path, "/tmp/test-asm-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0 || jfr_writer_new(&w, fd, &options, &pools, &e))
        return NULL;
    jfr_write_setting(w, NS_PER_S, "code_processor", "x86_64");
    return w;
}

/* Closes the file, reads and removes it. */
static int finish(struct jfr_writer *w, struct asm_recording *r, struct error *e)
{
    jfr_writer_close(w, 9 * NS_PER_S, e);
    int rc = asm_recording_init(r) ? -1 : asm_recording_load(r, path, e);
    unlink(path);
    return rc;
}

static void put_code(struct jfr_writer *w, uint32_t compilation, uint64_t address, const uint8_t *bytes, size_t count)
{
    static char digits[2 * 4096 + 1];
    for (size_t i = 0; i < count; i++)
        snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
    struct jfr_code_snapshot s = {.ticks = NS_PER_S,
                                  .stack = compilation ? STACK_LOOP : 0,
                                  .kind = compilation ? "C2" : "stub",
                                  .name = compilation ? "" : "a_stub",
                                  .compilation = compilation,
                                  .level = compilation ? 4 : 0,
                                  .entry_bci = compilation == 8 ? 5 : -1,
                                  .address = address,
                                  .entry = address,
                                  .code = digits};
    jfr_write_code_snapshot(w, &s);
}

static void put_sample(struct jfr_writer *w, uint64_t pc, uint32_t compilation, uint64_t code, uint32_t capture, uint32_t stack)
{
    struct jfr_code_sample s = {NS_PER_S, stack, 1000, pc, compilation, code, capture};
    jfr_write_code_sample(w, &s);
}

/* ---- round trip ---- */

static void test_round_trip(void)
{
    static uint8_t bytes[300];
    struct asm_recording r;
    struct error e;
    char text[256];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    struct jfr_writer *w = begin();
    put_code(w, 8, 0x7f0000001000, bytes, sizeof bytes);
    jfr_write_code_place(w, NS_PER_S, STACK_LOOP, 8, 0x7f0000001000, 100);
    jfr_write_code_place(w, NS_PER_S, STACK_INNER, 8, 0x7f0000001000, 250);
    jfr_write_code_name(w, NS_PER_S, "a_stub", 0x7f0000009000, 64);
    put_sample(w, 0x7f0000001010, 8, 0x7f0000001000, S_CAPTURED, STACK_LOOP);
    int rc = finish(w, &r, &e);
    if (!tap_ok(rc == 0 && r.snapshot_count == 1 && r.sample_count == 1 && r.name_count == 1, "what was written is read (%d)", rc))
        return;
    const struct asm_snapshot *s = r.snapshots;
    tap_ok(s->size == sizeof bytes && !memcmp(s->bytes, bytes, sizeof bytes), "all %u bytes of the code", s->size);
    tap_ok(s->address == 0x7f0000001000 && s->compilation == 8 && s->level == 4 && s->entry_bci == 5, "and what is reported of it");
    tap_ok(!strcmp(asm_source(&r, s, text, sizeof text), "C2, level 4"), "its source: %s", text);
    tap_ok(!strcmp(asm_title(&r, s, text, sizeof text), "app.Main.loop, version 1, compile id 8 (OSR at bci 5)"), "its title: %s", text);
    const struct asm_stack *at[] = {&r.stacks[asm_stack_at(s, 0)], &r.stacks[asm_stack_at(s, 99)], &r.stacks[asm_stack_at(s, 100)],
                                    &r.stacks[asm_stack_at(s, 250)]};
    tap_ok(at[0]->count == 1 && at[1] == at[0] && at[2]->count == 2 && at[3]->count == 0,
           "a place holds up to its end, behind the last nothing is known");
    const struct asm_frame *inner = &r.frames[at[2]->first];
    tap_ok(!strcmp(asm_string(&r, inner[0].method), "app.Main.inner") && inner[0].line == 30 && inner[0].bci == 7 &&
               !strcmp(asm_string(&r, inner[1].method), "app.Main.loop"),
           "inlined frames, leaf first");
    uint64_t offset;
    const char *name = asm_name_at(&r, 0x7f0000009010, &offset);
    tap_ok(name && !strcmp(name, "a_stub") && offset == 16 && !asm_name_at(&r, 0x7f0000009040, &offset), "a stub by its address");
    asm_recording_deinit(&r);
}

/* ---- to which method the code belonged ---- */

static uint32_t compilation_of(const struct asm_recording *r, uint32_t sample)
{
    uint32_t s = r->samples[sample].snapshot;
    return s ? r->snapshots[s - 1].compilation : 0;
}

static void test_identity(void)
{
    static const uint8_t one[64] = {0x90}, two[64] = {0xc3};
    struct asm_recording r;
    struct error e;
    struct jfr_writer *w = begin();
    put_code(w, 7, 0x10000, one, sizeof one);
    put_sample(w, 0x10004, 7, 0x10000, S_CAPTURED, STACK_LOOP);
    put_code(w, 9, 0x10000, two, sizeof two); /* the place was given to another */
    put_sample(w, 0x10004, 9, 0x10000, S_CAPTURED, STACK_LOOP);
    put_sample(w, 0x10004, 7, 0, S_GONE, STACK_LOOP); /* comes late, but an earlier snapshot has its compilation */
    put_sample(w, 0x10004, 11, 0, S_GONE, STACK_LOOP);
    put_code(w, 0, 0x20000, one, sizeof one);
    put_sample(w, 0x20000, 0, 0x20000, S_CAPTURED, STACK_LOOP);
    jfr_writer_rotate(w, 2 * NS_PER_S, 18 * NS_PER_S, &e);
    put_code(w, 9, 0x10000, two, sizeof two); /* each chunk repeats it */
    put_sample(w, 0x10005, 9, 0x10000, S_CAPTURED, STACK_LOOP);
    put_sample(w, 0x10005, 7, 0, S_GONE, STACK_LOOP);
    put_code(w, 0, 0x20000, two, sizeof two); /* another stub at that place */
    put_sample(w, 0x20000, 0, 0x20000, S_CAPTURED, STACK_LOOP);
    put_sample(w, 0x10040, 9, 0x10000, S_CAPTURED, STACK_LOOP); /* after its end: from a damaged file */
    put_sample(w, 0x555, 0, 0, S_NATIVE, STACK_NATIVE);
    put_sample(w, 0x10004, 9, 0x10000, S_CAPTURED, STACK_KERNEL);
    if (!tap_ok(finish(w, &r, &e) == 0 && r.sample_count == 11, "eleven samples of code that came and went"))
        return;
    tap_ok(r.snapshot_count == 4, "%u versions: two methods, two stubs, none twice", r.snapshot_count);
    tap_ok(compilation_of(&r, 0) == 7 && compilation_of(&r, 1) == 9, "one address, two methods: each has its sample");
    tap_ok(compilation_of(&r, 2) == 7 && compilation_of(&r, 5) == 9 && compilation_of(&r, 6) == 7,
           "a compilation is found after it is gone, and in another chunk");
    tap_ok(!r.samples[3].snapshot && !strcmp(asm_string(&r, r.samples[3].source), "not captured: gone") &&
               !strcmp(asm_string(&r, r.samples[3].name), "app.Main.loop"),
           "one that was never captured is said to be so, by its frame");
    tap_ok(r.samples[4].snapshot && r.samples[7].snapshot && r.samples[4].snapshot != r.samples[7].snapshot,
           "stubs that follow each other are two");
    tap_ok(!r.samples[8].snapshot, "an address behind the code is none of it");
    tap_ok(!r.samples[9].snapshot && !strcmp(asm_string(&r, r.samples[9].source), "libc"), "native code is the library's");
    tap_ok(!r.samples[10].snapshot && r.samples[10].in_kernel && !strcmp(asm_string(&r, r.samples[10].source), "kernel") &&
               !strcmp(asm_string(&r, r.samples[10].name), "do_idle"),
           "a sample in the kernel is the kernel's");
    asm_recording_deinit(&r);
}

static void test_native(void)
{
    struct asm_recording r;
    struct error e;
    struct jfr_writer *w = begin();
    put_sample(w, 0x555, 0, 0, S_NATIVE, STACK_NATIVE);
    tap_ok(finish(w, &r, &e) == 0 && r.sample_count == 1 && !strcmp(asm_string(&r, r.samples[0].source), "libc") &&
               !strcmp(asm_string(&r, r.samples[0].name), "memcpy"),
           "native code by library and function");
    asm_recording_deinit(&r);
    w = begin();
    jfr_write_code_name(w, NS_PER_S, "a_stub", 1, 1);
    tap_ok(finish(w, &r, &e) == -ENOENT && strstr(e.text, "--asm"), "without samples: %s", e.text);
    asm_recording_deinit(&r);
}

/* ---- regions ---- */

/* Samples in and around overlapping snapshots. */
static void draw_recording(struct jfr_writer *w, uint32_t samples)
{
    uint8_t code[4096];
    uint64_t places[8];
    for (uint32_t i = 0; i < sizeof code; i++)
        code[i] = (uint8_t)draw();
    for (uint32_t i = 0; i < 8; i++) {
        places[i] = 0x100000 + draw() % 4096;
        put_code(w, i, places[i], code, 1 + draw() % sizeof code);
    }
    for (uint32_t i = 0; i < samples; i++) {
        uint32_t s = draw() % 10, kind = draw() % 8;
        uint64_t code_at = s < 8 ? places[s] : 0, pc = code_at + draw() % 6000;
        struct jfr_code_sample sample = {NS_PER_S + i,       1 + draw() % 4, draw() % 5000, pc, s < 8 ? s : draw() % 12,
                                         kind ? code_at : 0, 1 + draw() % 3};
        jfr_write_code_sample(w, &sample);
    }
}

static bool adds_up(const struct asm_regions *s, const struct asm_recording *r)
{
    uint64_t weight[4] = {0};
    uint32_t samples[4] = {0};
    bool good = true;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct asm_region *region = &s->regions[i];
        uint64_t points = 0;
        weight[0] += region->figure.weight;
        samples[0] += region->figure.samples;
        for (uint32_t k = 0; k < region->count; k++) {
            const struct asm_point *p = &s->points[region->first + k];
            points += p->figure.weight;
            good &= p->offset >= region->begin && p->offset <= region->end;
            good &= !k || (p->offset > p[-1].offset && p->offset - p[-1].offset <= ASM_REGION_GAP);
        }
        good &= !region->snapshot || points == region->figure.weight;
        good &= !i || region->figure.weight <= s->regions[i - 1].figure.weight;
    }
    for (uint32_t i = 0; i < s->method_count; i++) {
        weight[1] += s->methods[i].figure.weight;
        samples[1] += s->methods[i].figure.samples;
    }
    for (uint32_t i = 0; i < s->source_count; i++) {
        weight[2] += s->sources[i].figure.weight;
        samples[2] += s->sources[i].figure.samples;
    }
    for (int i = 0; i < 3; i++)
        good &= weight[i] == r->weight && samples[i] == r->sample_count;
    return good && s->all.weight == r->weight && s->all.samples == r->sample_count;
}

static void test_sums(void)
{
    uint32_t wrong = 0, regions = 0, in_code = 0;
    for (int i = 0; i < 40; i++) {
        struct asm_recording r;
        struct asm_regions s;
        struct error e;
        struct jfr_writer *w = begin();
        draw_recording(w, 1 + draw() % 400);
        wrong += finish(w, &r, &e) != 0 || asm_regions_build(&s, &r) != 0 || !adds_up(&s, &r);
        regions += s.count;
        for (uint32_t k = 0; k < r.sample_count; k++)
            in_code += r.samples[k].snapshot != 0;
        asm_regions_deinit(&s);
        asm_recording_deinit(&r);
    }
    tap_ok(!wrong && regions > 1000 && in_code > 1000,
           "40 drawn recordings, %u regions, %u samples in code: regions, methods and sources add up to all samples", regions, in_code);
}

static void test_gap(void)
{
    static const uint8_t code[512] = {0x90};
    struct asm_recording r;
    struct asm_regions s;
    struct error e;
    struct jfr_writer *w = begin();
    put_code(w, 7, 0x10000, code, sizeof code);
    const uint32_t offsets[] = {0, ASM_REGION_GAP, 2 * ASM_REGION_GAP + 1, 2 * ASM_REGION_GAP + 1};
    for (int i = 3; i >= 0; i--)
        put_sample(w, 0x10000 + offsets[i], 7, 0x10000, S_CAPTURED, STACK_LOOP);
    tap_ok(finish(w, &r, &e) == 0 && asm_regions_build(&s, &r) == 0 && s.count == 2 && s.method_count == 1 && s.points[1].offset,
           "a gap one byte too long parts two regions of one method");
    tap_ok(s.count == 2 && s.regions[0].figure.samples == 2 && s.regions[1].figure.samples == 2 && s.point_count == 3 &&
               s.regions[0].figure.share == 0.5 && s.regions[0].figure.interval.low < 0.5 && s.regions[0].figure.interval.high > 0.5,
           "shares have intervals around them");
    asm_regions_deinit(&s);
    asm_recording_deinit(&r);
}

/* ---- instructions ---- */

/*  0: mov rax, rdi     3: cqo     5: idiv rsi     8: add rcx, rax     11: dec edx     13: jnz 0     15: ret */
static const uint8_t loop[] = {0x48, 0x89, 0xf8, 0x48, 0x99, 0x48, 0xf7, 0xfe, 0x48, 0x01, 0xc1, 0xff, 0xca, 0x75, 0xf1, 0xc3};

static struct asm_snapshot snapshot_of(const uint8_t *bytes, uint32_t size)
{
    return (struct asm_snapshot){.address = 0x10000, .entry = 0x10000, .bytes = (uint8_t *)bytes, .size = size};
}

static bool decoder(struct asm_decoder *d, const char *processor, enum asm_syntax syntax)
{
    struct error e = {""};
    return tap_ok(asm_decoder_init(d, processor, syntax, &e) == 0, "a disassembler for %s %s", processor, e.text);
}

static void test_loop(void)
{
    const struct asm_snapshot s = snapshot_of(loop, sizeof loop);
    struct asm_decoder d;
    struct asm_listing l;
    struct asm_edges e;
    char text[ASM_INSTRUCTION_TEXT_MAX];
    if (!decoder(&d, "x86_64", ASM_INTEL))
        return;
    asm_listing_make(&l, &d, &s, NULL, 0);
    if (tap_ok(l.count == 7 && !l.undecoded, "a loop of %u instructions", l.count)) {
        asm_print(&d, loop + 5, 3, 0x10005, text, sizeof text);
        tap_ok(!strcmp(text, "idiv rsi"), "as Intel writes them: %s", text);
        tap_ok(l.lines[2].instruction.slow && !l.lines[3].instruction.slow, "a division is slow, an addition is not");
        tap_ok(l.lines[5].instruction.flow == ASM_BRANCH && l.lines[5].instruction.target == 0x10000, "the branch leads to the start");
        tap_ok(l.lines[6].instruction.flow == ASM_RETURN, "the return is one");
        tap_ok(asm_listing_feeds(&l, 3) == 2, "what adds the quotient waits for the division");
        tap_ok(asm_listing_feeds(&l, 5) == UINT32_MAX, "what waits for nothing slow has no such hint");
        tap_ok(asm_edges_make(&e, &l, 0, l.count) == 0 && e.edge_count == 1 && e.lanes == 1 && e.edges[0].from == 5 && e.edges[0].to == 0,
               "one jump is drawn");
        tap_ok(e.cells[0][0] == ASM_CELL_TOP && e.cells[3][0] == ASM_CELL_LINE && e.cells[5][0] == ASM_CELL_BOTTOM &&
                   e.cells[6][0] == ASM_CELL_BLANK && e.arrives[0] == 1 && e.leaves[5] == 1,
               "from the branch up to its target");
        tap_ok(!strcmp(asm_edges_draw(&e, 0, text, sizeof text), "╭→"), "%s", text);
        asm_edges_deinit(&e);
        tap_ok(asm_edges_make(&e, &l, 2, 4) == 0 && !e.edge_count && e.leaves[3] == 2, "one that leaves the stretch is marked");
        asm_edges_deinit(&e);
    }
    asm_listing_deinit(&l);
    asm_decoder_deinit(&d);
    if (!decoder(&d, "x86_64", ASM_ATT))
        return;
    asm_print(&d, loop + 5, 3, 0x10005, text, sizeof text);
    tap_ok(strstr(text, "idiv") && strstr(text, "%rsi"), "as AT&T does: %s", text);
    asm_decoder_deinit(&d);
}

/* A load feeds a comparison, which feeds the branch. */
static void test_load(void)
{
    /* mov rax, [rdi]; cmp rax, rsi; jl 0; test [rax], eax */
    static const uint8_t code[] = {0x48, 0x8b, 0x07, 0x48, 0x39, 0xf0, 0x7c, 0xf8, 0x85, 0x00};
    const struct asm_snapshot s = snapshot_of(code, sizeof code);
    struct asm_decoder d;
    struct asm_listing l;
    if (!decoder(&d, "x86_64", ASM_INTEL))
        return;
    asm_listing_make(&l, &d, &s, NULL, 0);
    tap_ok(l.count == 4 && l.lines[0].instruction.loads && asm_listing_feeds(&l, 1) == 0, "a comparison waits for the load before it");
    tap_ok(l.count == 4 && l.lines[3].instruction.mark == ASM_MARK_POLL, "a safepoint poll is known");
    asm_listing_deinit(&l);
    asm_decoder_deinit(&d);
}

/* HotSpot changes the entry of a method that must not be entered any more in this way: a jump over its first five bytes. */
static void test_patched(void)
{
    /* mov [rsp-0x14000], eax (7 bytes), of which a jump has 5; its rest; push rbp; nop */
    static const uint8_t code[] = {0xe9, 0xfb, 0x0f, 0x00, 0x00, 0xfe, 0xff, 0x55, 0x90};
    const struct asm_snapshot s = snapshot_of(code, sizeof code);
    const struct asm_point point = {.offset = 7};
    const struct asm_point *const points[] = {&point};
    struct asm_decoder d;
    struct asm_listing l;
    if (!decoder(&d, "x86_64", ASM_INTEL))
        return;
    asm_listing_make(&l, &d, &s, points, 1);
    uint32_t at = asm_listing_find(&l, 7);
    tap_ok(at < l.count && l.lines[at].offset == 7 && l.lines[at].decoded && l.lines[at].point == &point && l.undecoded == 2,
           "behind an overwritten entry it begins again where a sample fell (%u bytes are no instruction)", l.undecoded);
    asm_listing_deinit(&l);
    asm_decoder_deinit(&d);
}

/* Instructions of HotSpot's checksums and ciphers, as GNU's assembler encodes them. */
static void test_vectors(void)
{
    static const struct {
        uint8_t bytes[12];
        uint8_t size;
        const char *intel, *att;
    } cases[] = {
        {{0x62, 0xb3, 0x7d, 0x48, 0x44, 0xc8, 0x10}, 7, "vpclmulqdq zmm1, zmm0, zmm16, 0x10", "vpclmulqdq $0x10, %zmm16, %zmm0, %zmm1"},
        {{0x62, 0xd3, 0x7d, 0x48, 0x44, 0xd2, 0x01}, 7, "vpclmulqdq zmm2, zmm0, zmm10, 0x1", "vpclmulqdq $0x1, %zmm10, %zmm0, %zmm2"},
        {{0x62, 0xd2, 0x7d, 0x48, 0xdc, 0xc2}, 6, "vaesenc zmm0, zmm0, zmm10", "vaesenc %zmm10, %zmm0, %zmm0"},
        {{0x62, 0xf2, 0x75, 0x48, 0xdc, 0x47, 0x02}, 7, "vaesenc zmm0, zmm1, [rdi + 0x80]", "vaesenc 128(%rdi), %zmm1, %zmm0"},
        {{0x62, 0xf2, 0x7d, 0xc9, 0x8d, 0x04, 0x8f},
         7,
         "vpermb zmm0{k1}{z}, zmm0, [rdi + rcx*4]",
         "vpermb 0(%rdi,%rcx,4), %zmm0, %zmm0{%k1}{z}"},
        {{0x62, 0xf1, 0x6d, 0x48, 0x72, 0xc9, 0x03}, 7, "vprold zmm2, zmm1, 0x3", "vprold $0x3, %zmm1, %zmm2"},
        {{0x62, 0xf2, 0x7e, 0x48, 0x26, 0xc9}, 6, "vptestnmb k1, zmm0, zmm1", "vptestnmb %zmm1, %zmm0, %k1"},
        {{0x62, 0xf2, 0x7e, 0x48, 0x30, 0xca}, 6, "evex.f3.0f38.w0:30 zmm1, zmm2", "evex.f3.0f38.w0:30 %zmm2, %zmm1"},
        {{0xc5, 0xfb, 0x93, 0xc1}, 4, "kmovd eax, k1", "kmovd %k1, %eax"},
        {{0xc4, 0xe1, 0xec, 0x41, 0xd9}, 5, "kandq k3, k2, k1", "kandq %k1, %k2, %k3"},
        {{0xc4, 0xe1, 0xfb, 0x92, 0xc8}, 5, "kmovq k1, rax", "kmovq %rax, %k1"},
        {{0xc4, 0xc1, 0xfb, 0x92, 0xd3}, 5, "kmovq k2, r11", "kmovq %r11, %k2"},
        {{0xc4, 0x61, 0xfb, 0x93, 0xd9}, 5, "kmovq r11, k1", "kmovq %k1, %r11"},
    };
    struct asm_decoder intel, att;
    struct asm_instruction i;
    char text[ASM_INSTRUCTION_TEXT_MAX];
    if (!decoder(&intel, "x86_64", ASM_INTEL) || !decoder(&att, "x86_64", ASM_ATT))
        return;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bool cut = false;
        for (uint8_t n = 0; n < cases[k].size; n++)
            cut |= asm_decode(&intel, cases[k].bytes, n, 0, &i) && i.size >= cases[k].size;
        asm_decode(&intel, cases[k].bytes, 12, 0x1000, &i);
        asm_print(&intel, cases[k].bytes, 12, 0x1000, text, sizeof text);
        tap_ok(i.size == cases[k].size && !cut && !strcmp(text, cases[k].intel), "%s", text);
        asm_print(&att, cases[k].bytes, 12, 0x1000, text, sizeof text);
        tap_ok(!strcmp(text, cases[k].att), "%s", text);
    }
    asm_decoder_deinit(&intel);
    asm_decoder_deinit(&att);
}

static void test_aarch64(void)
{
    /* sdiv x0, x1, x2; add x3, x0, x3; cbnz x3, -8; ret; no instruction */
    static const uint8_t code[] = {0x20, 0x0c, 0xc2, 0x9a, 0x03, 0x00, 0x03, 0x8b, 0xc3, 0xff,
                                   0xff, 0xb5, 0xc0, 0x03, 0x5f, 0xd6, 0x00, 0x00, 0x00, 0x00};
    const struct asm_snapshot s = snapshot_of(code, sizeof code);
    struct asm_decoder d;
    struct asm_listing l;
    char text[ASM_INSTRUCTION_TEXT_MAX];
    if (!decoder(&d, "aarch64", ASM_INTEL))
        return;
    asm_listing_make(&l, &d, &s, NULL, 0);
    tap_ok(l.count == 5 && l.undecoded == 4, "AArch64: %u lines", l.count);
    if (l.count == 5) {
        asm_print(&d, code, 4, 0x10000, text, sizeof text);
        tap_ok(!strcmp(text, "sdiv x0, x1, x2") && l.lines[0].instruction.slow && asm_listing_feeds(&l, 1) == 0, "a division: %s", text);
        tap_ok(l.lines[2].instruction.flow == ASM_BRANCH && l.lines[2].instruction.target == 0x10000 &&
                   l.lines[3].instruction.flow == ASM_RETURN,
               "a branch and a return");
    }
    asm_listing_deinit(&l);
    asm_decoder_deinit(&d);
}

/* ---- for perf ---- */

static uint32_t word_at(const char *bytes, size_t at)
{
    uint32_t v;
    memcpy(&v, bytes + at, sizeof v);
    return v;
}

/* The records of a jitdump: their kinds, and whether their sizes lead to its end. */
static bool reads_jitdump(const char *bytes, size_t size, char *kinds)
{
    size_t at = word_at(bytes, 8);
    while (at + 16 <= size && word_at(bytes, at + 4) >= 16) {
        *kinds++ = (char)('0' + word_at(bytes, at));
        at += word_at(bytes, at + 4);
    }
    *kinds = 0;
    return at == size;
}

static void test_export(void)
{
    static const uint8_t code[300] = {0x90};
    struct asm_recording r;
    struct error e;
    char *bytes = NULL, kinds[16] = "";
    size_t size = 0;
    struct jfr_writer *w = begin();
    put_code(w, 7, 0x10000, code, 200);
    jfr_write_code_place(w, NS_PER_S, STACK_LOOP, 7, 0x10000, 100);
    put_code(w, 0, 0x20000, code, 64);
    put_code(w, 9, 0x10080, code, 300); /* extends beyond the end of the first */
    jfr_write_code_name(w, NS_PER_S, "other_stub", 0x30000, 32);
    put_sample(w, 0x10001, 7, 0x10000, S_CAPTURED, STACK_LOOP);
    if (!tap_ok(finish(w, &r, &e) == 0, "a recording for perf"))
        return;
    FILE *out = open_memstream(&bytes, &size);
    asm_export_perfmap(out, &r);
    fclose(out);
    tap_ok(!strcmp(bytes, "10080 12c app.Main.loop\n20000 40 a_stub\n30000 20 other_stub\n"), "names by address: %s", bytes);
    free(bytes);
    out = open_memstream(&bytes, &size);
    asm_export_jitdump(out, &r, 4711);
    fclose(out);
    tap_ok(word_at(bytes, 0) == 0x4a695444 && word_at(bytes, 4) == 1 && word_at(bytes, 12) == 62 && word_at(bytes, 20) == 4711,
           "a jitdump's header");
    tap_ok(reads_jitdump(bytes, size, kinds) && !strcmp(kinds, "20003"), "its records: lines, then code (%s)", kinds);
    size_t lines = word_at(bytes, 8), load = lines + word_at(bytes, lines + 4);
    tap_ok(word_at(bytes, lines + 24) == 1 && word_at(bytes, lines + 40) == 12 && !strcmp(bytes + lines + 48, "app/Main.java"),
           "a line, and its file");
    tap_ok(word_at(bytes, load + 24) == 0x10000 && word_at(bytes, load + 40) == 200 &&
               !strncmp(bytes + load + 56, "app.Main.loop, version 1", 24) && (uint8_t)bytes[load + word_at(bytes, load + 4) - 200] == 0x90,
           "the code, and its name");
    free(bytes);
    asm_recording_deinit(&r);
}

/* ---- hostile code ---- */

static bool covers(const struct asm_listing *l)
{
    uint32_t at = 0, undecoded = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->lines[i].offset != at || !l->lines[i].instruction.size)
            return false;
        at += l->lines[i].instruction.size;
        undecoded += l->lines[i].decoded ? 0 : l->lines[i].instruction.size;
    }
    return at == l->snapshot->size && undecoded == l->undecoded;
}

static bool lanes_are_apart(const struct asm_edges *e)
{
    for (uint32_t i = 0; i < e->edge_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const struct asm_edge *a = &e->edges[i], *b = &e->edges[k];
            uint32_t a_low = a->from < a->to ? a->from : a->to, a_high = a->from + a->to - a_low;
            uint32_t b_low = b->from < b->to ? b->from : b->to, b_high = b->from + b->to - b_low;
            if (a->lane >= 0 && a->lane == b->lane && a_low <= b_high && b_low <= a_high)
                return false;
        }
    return true;
}

static void test_random_code(const char *processor)
{
    struct asm_decoder d;
    uint32_t wrong = 0, jumps = 0, undecoded = 0, missed = 0;
    char drawing[256];
    if (!decoder(&d, processor, ASM_INTEL))
        return;
    for (int round = 0; round < 300; round++) {
        uint32_t size = 1 + draw() % 600, count = 0;
        uint8_t *bytes = malloc(size); /* of exactly that size: a sanitizer detects a read beyond the end */
        struct asm_point points[8];
        const struct asm_point *order[8];
        for (uint32_t i = 0; i < size; i++)
            bytes[i] = draw() % 4 ? (uint8_t)draw() : (uint8_t)(0x70 + draw() % 16); /* many short branches */
        for (uint32_t at = draw() % 100; count < 8 && at < size; at += 1 + draw() % 100) {
            points[count] = (struct asm_point){.offset = at};
            order[count] = &points[count];
            count++;
        }
        struct asm_snapshot s = snapshot_of(bytes, size);
        s.entry += draw() % 700;
        struct asm_listing l;
        struct asm_edges e;
        wrong += asm_listing_make(&l, &d, &s, order, count) != 0 || !covers(&l);
        for (uint32_t i = 0; i < count; i++)
            missed += l.lines[asm_listing_find(&l, points[i].offset)].point != &points[i];
        uint32_t first = draw() % l.count, lines = 1 + draw() % (l.count - first);
        wrong += asm_edges_make(&e, &l, first, lines) != 0 || !lanes_are_apart(&e);
        for (uint32_t i = first; i < first + lines; i++)
            asm_edges_draw(&e, i, drawing, sizeof drawing);
        jumps += e.edge_count;
        undecoded += l.undecoded;
        asm_edges_deinit(&e);
        asm_listing_deinit(&l);
        free(bytes);
    }
    tap_ok(!wrong, "%s, 300 snapshots of drawn bytes: each byte in one line, no two jumps in one lane", processor);
    tap_ok(!missed, "%s: each sampled address begins a line", processor);
    tap_note("%u jumps, %u bytes that are no instruction", jumps, undecoded);
    asm_decoder_deinit(&d);
}

/* If events are counted instead of CPU time, the words are about events. */
static void test_event_report(struct asm_report report, struct profile *p)
{
    char *bytes = NULL;
    size_t size = 0;
    report.colour = false;
    p->unit = PROFILE_UNIT_OTHER;
    int rc = profile_string(p, "cache-misses", strlen("cache-misses"), &p->value);
    FILE *out = open_memstream(&bytes, &size);
    rc = rc ? rc : asm_text(out, &report);
    fclose(out);
    tap_ok(!rc && strstr(bytes, "of cache-misses") && strstr(bytes, "Event: cache-misses, a sample every") && !strstr(bytes, "CPU time"),
           "as text, of an event");
    free(bytes);
    out = open_memstream(&bytes, &size);
    rc = asm_json(out, &report);
    fclose(out);
    tap_ok(!rc && strstr(bytes, "\"unit\"") && strstr(bytes, "\"events\"") && !strstr(bytes, "CPU time"), "as JSON");
    free(bytes);
}

/* Prints the whole report of a random recording, and discards it. */
static void test_report(void)
{
    struct asm_recording r;
    struct asm_regions s;
    struct asm_decoder d;
    struct profile p;
    struct error e;
    FILE *out = fopen("/dev/null", "w");
    struct jfr_writer *w = begin();
    draw_recording(w, 2000);
    int rc = finish(w, &r, &e) || asm_regions_build(&s, &r) || asm_decoder_init(&d, "x86_64", ASM_INTEL, &e) || profile_init(&p);
    if (!tap_ok(!rc && out, "a recording of overlapping code"))
        return;
    struct asm_report report = {
        .file = "drawn", .recording = &r, .regions = &s, .profile = &p, .decoder = &d, .bytes = true, .colour = true};
    tap_ok(asm_text(out, &report) == 0 && asm_json(out, &report) == 0, "is printed with all of its regions");
    test_event_report(report, &p);
    fclose(out);
    profile_deinit(&p);
    asm_decoder_deinit(&d);
    asm_regions_deinit(&s);
    asm_recording_deinit(&r);
}

/* Bytes of a good recording are changed: its undamaged part is read, or it is refused with one line. */
static void test_damage(void)
{
    struct error e;
    struct jfr_writer *w = begin();
    char good[sizeof path];
    draw_recording(w, 50);
    jfr_write_code_place(w, NS_PER_S, STACK_INNER, 3, 0x100000, 17);
    jfr_writer_close(w, 9 * NS_PER_S, &e);
    snprintf(good, sizeof good, "%s", path);
    int fd = open(good, O_RDWR);
    off_t size = lseek(fd, 0, SEEK_END);
    uint32_t read_well = 0, refused = 0, silent = 0;
    for (int i = 0; i < 400; i++) {
        struct asm_recording r;
        struct asm_regions s;
        uint8_t was, is = (uint8_t)draw();
        off_t at = (off_t)(draw() % (uint32_t)size);
        if (pread(fd, &was, 1, at) != 1 || pwrite(fd, &is, 1, at) != 1 || asm_recording_init(&r))
            break;
        e.text[0] = 0;
        int rc = asm_recording_load(&r, good, &e);
        read_well += !rc && !asm_regions_build(&s, &r) && adds_up(&s, &r);
        refused += rc && e.text[0];
        silent += rc && !e.text[0];
        if (!rc)
            asm_regions_deinit(&s);
        asm_recording_deinit(&r);
        if (pwrite(fd, &was, 1, at) != 1)
            break;
    }
    close(fd);
    unlink(good);
    tap_ok(read_well + refused == 400 && read_well && !silent, "400 damaged recordings: %u read, %u refused with a line", read_well,
           refused);
}

int main(void)
{
    struct error e;
    struct asm_decoder d;
    test_round_trip();
    test_identity();
    test_native();
    test_sums();
    test_gap();
    test_loop();
    test_load();
    test_patched();
    test_vectors();
    test_aarch64();
    test_random_code("x86_64");
    test_random_code("aarch64");
    test_export();
    test_report();
    test_damage();
    tap_ok(asm_decoder_init(&d, "pdp11", ASM_INTEL, &e) && strstr(e.text, "pdp11"), "an unknown processor: %s", e.text);
    return tap_done();
}
