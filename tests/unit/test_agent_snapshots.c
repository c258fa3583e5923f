/* Snapshots of machine code, from an artificial code cache into a recording and back: bytes, frames and names. If code is replaced or
 * freed, it is not mistaken for the code of an earlier sample. Too much code is counted.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"
#include "fake_jvm.h"

#include "agent/collect/sampling/snapshots.h"
#include "agent/hot/fault/fault.h"
#include "agent/hot/java/code.h"
#include "agent/hot/java/method.h"
#include "agent/symbolize/native.h"
#include "asm/code.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CODE_BYTES = 400 };

static struct snapshots snapshots;
static struct recording recording;
static char path[64];

static bool begin(uint64_t max_bytes)
{
    struct error e;
    const struct keep keep = {.bytes = max_bytes};
    snprintf(path, sizeof path, "/tmp/test-snapshots-%d.jfr", (int)getpid());
    return tap_ok(!method_table_init(1 << 20) && !recording_open(&recording, path, -1, 0, &keep, 0, &e) &&
                      !snapshots_begin(&snapshots, &recording, &e),
                  "a recording begins");
}

/* Closes the recording, and reads its contents. */
static bool finish(struct asm_recording *r)
{
    uint64_t bytes;
    struct error e = {""};
    recording_close(&recording, &bytes, &e);
    snapshots_end(&snapshots);
    method_table_deinit();
    native_deinit();
    int rc = asm_recording_init(r) ? -1 : asm_recording_load(r, path, &e);
    unlink(path);
    return tap_ok(!rc, "is read again %s", e.text);
}

static void put_sample(uintptr_t pc, uint32_t compilation)
{
    const struct jfr_cpu_sample s = {.ticks = recording.start_ticks, .weight_ns = 1000, .pc = pc};
    snapshots_sample(&snapshots, &s, compilation);
}

static uint8_t *code_of(uintptr_t blob)
{
    return (uint8_t *)(blob + FAKE_BLOB_HEADER);
}

static uintptr_t make_nmethod(uint32_t compilation)
{
    uint8_t data[64] = {0};
    size_t n = 1;
    const uint32_t numbers[] = {0, 1, 7 + 1, 1, 2, 3 + 1}; /* outer at 7; inner at 3, inlined into the scope at 1 */
    uintptr_t class = fake_class("app/Work");
    const uintptr_t methods[] = {fake_method(class, "outer", "()V", NULL, 0), fake_method(class, "inner", "()V", NULL, 0)};
    for (size_t i = 0; i < 6; i++)
        n += fake_unsigned5(data + n, numbers[i], vm_layout.unsigned5_excludes_zero);
    const struct fake_pcdesc pcs[] = {{-1, 0}, {10, 1}, {20, 1}, {200, 4}, {INT32_MAX, 0}};
    vm_layout.nm_entry_bci = (struct vm_field){104, 4};
    uintptr_t nm = fake_blob("nmethod", CODE_BYTES, 4, 0);
    fake_debug_info(nm, methods[0], 4, data, n, pcs, sizeof pcs / sizeof *pcs, methods, 2);
    fake_set(nm, vm_layout.nm_compile_id, compilation);
    fake_set(nm, vm_layout.nm_entry_bci, (uint32_t)-1);
    for (int i = 0; i < CODE_BYTES; i++)
        code_of(nm)[i] = (uint8_t)(i + (int)compilation);
    return nm;
}

static const struct asm_snapshot *of_sample(const struct asm_recording *r, uint32_t sample)
{
    uint32_t s = sample < r->sample_count ? r->samples[sample].snapshot : 0;
    return s ? &r->snapshots[s - 1] : NULL;
}

static bool is_frame(const struct asm_recording *r, const struct asm_stack *s, uint32_t i, const char *method, int32_t bci)
{
    const struct asm_frame *f = &r->frames[s->first + i];
    return i < s->count && !strcmp(asm_string(r, f->method), method) && f->bci == bci;
}

static void test_method(enum vm_nmethod_family family, bool excludes_zero, const char *which)
{
    struct asm_recording r;
    fake_open(family, excludes_zero);
    uintptr_t nm = make_nmethod(7);
    struct code_places places;
    uint32_t offset, count = 0, sum = 0;
    const struct code c = code_find(nm + FAKE_BLOB_HEADER);
    for (bool more = code_places_begin(&places, &c); more && code_places_next(&places, &offset); count++)
        sum += offset;
    tap_ok(count == 3 && sum == 230, "%s: %u places", which, count);
    tap_ok(code_compilation(nm + FAKE_BLOB_HEADER + 5) == 7 && !code_compilation(fake.heap), "%s: the compilation of a pc", which);
    if (!begin(0))
        return;
    put_sample(c.begin + 50, 7);
    put_sample(c.begin + 60, 7);
    if (!finish(&r))
        return;
    const struct asm_snapshot *s = of_sample(&r, 0);
    tap_ok(s && s == of_sample(&r, 1) && r.snapshot_count == 1, "%s: two samples, one snapshot", which);
    if (s) {
        bool same = s->size == CODE_BYTES;
        for (int i = 0; same && i < CODE_BYTES; i++)
            same = s->bytes[i] == (uint8_t)(i + 7);
        tap_ok(same && s->address == c.begin && s->compilation == 7 && s->level == 4 && s->entry_bci == -1, "%s: with all its bytes",
               which);
        tap_ok(!strcmp(asm_string(&r, s->name), "app.Work.outer") && !strcmp(asm_string(&r, s->kind), "C2"), "%s: and its name", which);
        tap_ok(s->place_count == 2, "%s: places that stand for the same are one (%u)", which, s->place_count);
        const struct asm_stack *first = &r.stacks[asm_stack_at(s, 19)], *second = &r.stacks[asm_stack_at(s, 20)];
        tap_ok(first->count == 1 && is_frame(&r, first, 0, "app.Work.outer", 7) && second->count == 2 &&
                   is_frame(&r, second, 0, "app.Work.inner", 3) && is_frame(&r, second, 1, "app.Work.outer", 7),
               "%s: the inlined frames of each", which);
    }
    asm_recording_deinit(&r);
}

static void test_identity(void)
{
    struct asm_recording r;
    fake_open(VM_NMETHOD_ADDRESSES, false);
    uintptr_t nm = make_nmethod(7), pc = nm + FAKE_BLOB_HEADER + 50, freed = make_nmethod(20);
    if (!begin(0))
        return;
    put_sample(pc, 7);
    fake_set(nm, vm_layout.nm_compile_id, 9); /* another method has its place */
    memset(code_of(nm), 0xc3, CODE_BYTES);
    put_sample(pc, 9);
    put_sample(pc, 7); /* an earlier sample, in code that is known */
    put_sample(pc, 8); /* in between there was code of which there is no snapshot */
    fake_free_blob(freed);
    put_sample(freed + FAKE_BLOB_HEADER + 5, 20);
    put_sample(1, 0);
    tap_ok(snapshots.uncaptured[CAPTURE_GONE].count == 2 && snapshots.uncaptured[CAPTURE_GONE].ns == 2000 &&
               !snapshots.uncaptured[CAPTURE_NATIVE].count,
           "code that is gone is counted");
    snapshots_new_chunk(&snapshots);
    put_sample(pc, 9);
    put_sample(pc, 7);
    if (!finish(&r))
        return;
    tap_ok(r.snapshot_count == 2 && r.sample_count == 8, "%u snapshots", r.snapshot_count);
    const struct asm_snapshot *old = of_sample(&r, 0), *new = of_sample(&r, 1);
    tap_ok(old && new && old->compilation == 7 && old->bytes[0] == 7 && new->compilation == 9 && new->bytes[0] == 0xc3,
           "one address, two methods, each with its bytes");
    tap_ok(of_sample(&r, 2) == old && of_sample(&r, 6) == new &&of_sample(&r, 7) == old, "samples are put into theirs");
    tap_ok(!of_sample(&r, 3) && !of_sample(&r, 4) && !of_sample(&r, 5), "and into none that is not");
    asm_recording_deinit(&r);
}

/* JDK 27 may move code: the copy has the number of its original. */
static void test_moved(void)
{
    struct asm_recording r;
    fake_open(VM_NMETHOD_ADDRESSES, false);
    uintptr_t old = make_nmethod(7) + FAKE_BLOB_HEADER, new = make_nmethod(7) + FAKE_BLOB_HEADER;
    if (!begin(0))
        return;
    for (int i = 0; i < 3; i++) {
        put_sample(old + 10, 7);
        put_sample(new + 10, 7);
    }
    tap_ok(snapshots.count == 2, "code that was moved has a snapshot at either place (%u)", snapshots.count);
    if (!finish(&r))
        return;
    tap_ok(r.snapshot_count == 2 && of_sample(&r, 0) && of_sample(&r, 0)->address == old &&
               of_sample(&r, 1)->address == new &&of_sample(&r, 4) == of_sample(&r, 0) && of_sample(&r, 5) == of_sample(&r, 1),
           "and samples are put where they fell");
    asm_recording_deinit(&r);
}

static void test_stubs(void)
{
    struct asm_recording r;
    uint64_t offset;
    fake_open(VM_NMETHOD_ADDRESSES, false);
    uintptr_t stubs = fake_blob("StubRoutines (1)", 1000, 2, 0), code = stubs + FAKE_BLOB_HEADER;
    memset(code_of(stubs), 0x90, 1000);
    if (!begin(0))
        return;
    native_add_stub("first_stub", code, 100);
    native_add_stub("updateBytesCRC32", code + 100, 200);
    put_sample(code + 150, 0);
    put_sample(code + 299, 0);
    put_sample(code + 700, 0); /* in code that has no name of its own */
    if (!finish(&r))
        return;
    const struct asm_snapshot *named = of_sample(&r, 0), *other = of_sample(&r, 2);
    tap_ok(named && named == of_sample(&r, 1) && named->size == 200 && named->address == code + 100 &&
               !strcmp(asm_string(&r, named->name), "updateBytesCRC32") && !strcmp(asm_string(&r, named->kind), "stub"),
           "a stub by its name");
    tap_ok(other && other->size == 1000 && !strcmp(asm_string(&r, other->name), "StubRout"), "others by their blob's");
    const char *name = asm_name_at(&r, code + 40, &offset);
    tap_ok(name && !strcmp(name, "first_stub") && offset == 40 && r.name_count == 2, "stubs without samples have names, too");
    asm_recording_deinit(&r);
}

/* The limits for a recording that stays within a megabyte. */
static void test_limits(void)
{
    struct asm_recording r;
    fake_open(VM_NMETHOD_ADDRESSES, false);
    uintptr_t large = fake_blob("native nmethod", 200000, 4, 0), stub = fake_blob("Stub<x>", 100, 4, 0);
    fake_set(large, vm_layout.nm_compile_id, 3);
    if (!begin(1 << 20))
        return;
    put_sample(large + FAKE_BLOB_HEADER + 77, 3);
    put_sample(large + FAKE_BLOB_HEADER + 78, 3);
    put_sample(stub + FAKE_BLOB_HEADER, 0);
    tap_ok(snapshots.uncaptured[CAPTURE_LIMIT].count == 2 && snapshots.bytes <= snapshots.bytes_max && snapshots.bytes_max < 1 << 17,
           "what is too much is left out, and counted");
    if (!finish(&r))
        return;
    tap_ok(!of_sample(&r, 0) && !of_sample(&r, 1) && of_sample(&r, 2) &&
               !strcmp(asm_string(&r, r.samples[0].source), "not captured: limit"),
           "smaller code goes on being taken, and the report says why the other is not there");
    asm_recording_deinit(&r);
}

static void test_unwanted(void)
{
    struct snapshots none = {0};
    struct error e;
    const struct jfr_cpu_sample s = {.ticks = 1};
    snapshots_sample(&none, &s, 0);
    snapshots_end(&none);
    vm_layout.usable = false;
    tap_ok(snapshots_begin(&none, &recording, &e) && strstr(e.text, "without asm"), "a JVM without tables: %s", e.text);
}

int main(void)
{
    fault_install();
    test_method(VM_NMETHOD_OFFSETS, false, "offsets");
    test_method(VM_NMETHOD_ADDRESSES, false, "addresses");
    test_method(VM_NMETHOD_IMMUTABLE, true, "immutable data");
    test_identity();
    test_moved();
    test_stubs();
    test_limits();
    test_unwanted();
    return tap_done();
}
