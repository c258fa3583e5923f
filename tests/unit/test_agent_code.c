/* Compiled code: the numbers of its debug information, look-up in a code heap, scopes.
 * tier: quick
 * timeout: 60
 * aarch64: yes */
#include "../tap.h"
#include "fake_jvm.h"

#include "agent/hot/fault/fault.h"
#include "agent/hot/java/code.h"
#include "agent/hot/record.h"
#include "agent/hotspot/compilations.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t seed = 42;

static uint32_t draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

/* ---- numbers ---- */

static bool reads(const uint8_t *bytes, size_t n, uint32_t wanted)
{
    uintptr_t at = (uintptr_t)bytes;
    uint32_t v = ~wanted;
    return code_read_unsigned5(&at, &v) && v == wanted && at == (uintptr_t)bytes + n;
}

static void test_numbers(bool excludes_zero)
{
    static const uint32_t edges[] = {0,          1,          190,        191,        192,        193,        254,
                                     255,        256,        12478,      12479,      12480,      12481,      0xffff,
                                     0x10000,    786431,     786432,     798910,     798911,     0x7fffffff, 0x80000000,
                                     0xfffffffe, 0xffffffff, 0x3f3f3f3f, 0xbfbfbfbf, 0x01020304, 0x1000000,  0xfffffff};
    const char *which = excludes_zero ? "without zero bytes" : "with zero bytes";
    uint8_t bytes[5];
    int wrong = 0, zeros = 0;
    size_t longest = 0;
    fake_open(VM_NMETHOD_ADDRESSES, excludes_zero);
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        wrong += !reads(bytes, fake_unsigned5(bytes, edges[i], excludes_zero), edges[i]);
    tap_ok(!wrong, "%s: the edges (%d wrong)", which, wrong);
    for (int i = 0; i < 300000; i++) {
        uint32_t v = draw() >> draw() % 32;
        size_t n = fake_unsigned5(bytes, v, excludes_zero);
        longest = n > longest ? n : longest;
        zeros += memchr(bytes, 0, n) != NULL;
        wrong += !reads(bytes, n, v);
    }
    tap_ok(!wrong && longest == 5, "%s: 300,000 random numbers of one to %zu bytes", which, longest);
    tap_ok(excludes_zero == !zeros, "%s: as its name says", which);
    memset(bytes, 0xff, 5);
    uintptr_t at = (uintptr_t)bytes;
    uint32_t v;
    tap_ok(code_read_unsigned5(&at, &v) && at == (uintptr_t)bytes + 5, "%s: no number is longer than five bytes", which);
}

static void test_numbers_at_the_edge(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t bytes[5];
    uint32_t v = 0;
    int wrong = 0;
    munmap(pages + page, page);
    size_t n = fake_unsigned5(bytes, 0xfedcba98, true);
    for (size_t there = 0; there <= n; there++) {
        uintptr_t at = (uintptr_t)pages + page - there;
        memcpy((void *)at, bytes, there);
        wrong += code_read_unsigned5(&at, &v) != (there == n);
    }
    tap_ok(!wrong && v == 0xfedcba98, "a number that runs into nothing is none");
    munmap(pages, page);
}

/* ---- look-up ---- */

static bool is(uintptr_t pc, enum code_kind kind, uintptr_t blob)
{
    struct code c = code_find(pc);
    if (c.kind != kind || c.blob != blob)
        tap_note("pc %#zx: kind %d blob %#zx", pc - fake.heap, c.kind, c.blob - fake.heap);
    return c.kind == kind && c.blob == blob;
}

static void test_lookup(void)
{
    fake_open(VM_NMETHOD_ADDRESSES, false);
    uintptr_t a = fake_blob("nmethod", 10, 6, 3), b = fake_blob("native nmethod", 300, 0, -1),
              c = fake_blob("StubRoutines (1)", 1000, 2, 0), huge = fake_blob("nmethod", 200000, 4, 0),
              gone = fake_blob("nmethod", 100, 4, 0), last = fake_blob("nmethod", 100, 1 << 21, 0);
    uintptr_t code = FAKE_BLOB_HEADER;
    vm_layout.call_stub_return = c + code + 77;
    struct code found = code_find(a + code + 9);
    tap_ok(found.kind == CODE_NMETHOD && found.blob == a && found.begin == a + code && found.frame_words == 6 && found.frame_complete == 3,
           "an nmethod, its code, frame and where the frame is complete");
    tap_ok(code_is_compiled(&found), "is compiled");
    tap_ok(is(a, CODE_NMETHOD, a) && is(a + code + 10, CODE_NONE, 0), "from its header to its last byte, no farther");
    tap_ok(is(b + code, CODE_NATIVE_WRAPPER, b) && code_find(b + code).frame_complete == -1, "a native wrapper");
    tap_ok(is(c + code + 500, CODE_STUB, c), "a stub");
    tap_ok(is(vm_layout.call_stub_return, CODE_CALL_STUB, 0) && is(vm_layout.call_stub_return + 1, CODE_STUB, c),
           "the one return address of the call stub");
    tap_ok(is(fake.heap, CODE_INTERPRETER, 0) && is(fake.heap + FAKE_INTERPRETER_BYTES - 1, CODE_INTERPRETER, 0), "the interpreter");
    int wrong = 0;
    for (uintptr_t pc = huge; pc < huge + code + 200000; pc += 61)
        wrong += !is(pc, CODE_NMETHOD, huge);
    tap_ok(!wrong, "code of more segments than a byte counts");
    fake_free_blob(gone);
    tap_ok(is(gone + code, CODE_NONE, 0), "a freed blob");
    tap_ok(code_find(last + code).frame_words == 0, "an absurd frame size is unknown");
    tap_ok(is(fake.heap + FAKE_HEAP_BYTES / 2 - 1, CODE_NONE, 0), "a free segment");
    fake_set(fake.code_object, vm_layout.heap_committed_high, last + code);
    tap_ok(is(last + code - 1, CODE_NMETHOD, last) && is(last + code, CODE_NONE, 0), "beyond what is committed");
    tap_ok(is(0, CODE_NONE, 0) && is(fake.data, CODE_NONE, 0) && is(UINTPTR_MAX, CODE_NONE, 0) && !code_contains(fake.data), "outside");
    vm_layout.blob_code_begin.width = 0;
    vm_layout.blob_code_offset = (struct vm_field){36, 4};
    fake_set(a, vm_layout.blob_code_offset, 99);
    tap_ok(code_find(a + code).begin == a + 99, "where the code's place is an offset");
}

static void test_broken_segmap(void)
{
    fake_open(VM_NMETHOD_ADDRESSES, false);
    uintptr_t a = fake_blob("nmethod", 60000, 6, 3), pc = a + 50000;
    uint8_t *entry = (uint8_t *)fake.segmap + ((pc - fake.heap) >> FAKE_SEGMENT_LOG);
    int found = 0;
    *entry = 0xfe;
    tap_ok(is(pc, CODE_NMETHOD, a), "hops may be longer");
    for (int i = 0; i < 20000; i++) {
        for (int j = -300; j < 0; j++)
            entry[j] = (uint8_t)draw();
        *entry = (uint8_t)draw();
        found += code_find(pc).kind != CODE_NONE;
    }
    tap_ok(true, "20,000 random segment maps end somewhere (%d at a blob)", found);
    memset((void *)fake.segmap, 1, (size_t)(entry - (uint8_t *)fake.segmap) + 1);
    tap_ok(code_find(pc).kind == CODE_NONE, "a chain without end is given up");
    vm_layout.heaps[0].segmap = 0x8000000000000000u;
    tap_ok(code_find(pc).kind == CODE_NONE, "a map that is not there");
}

/* ---- scopes ---- */

struct scopes {
    uint8_t data[256];
    size_t length;
};

static uint32_t add_scope(struct scopes *s, uint32_t sender, uint32_t method, uint32_t bci)
{
    uint32_t at = (uint32_t)s->length, numbers[3] = {sender, method, bci};
    for (int i = 0; i < 3; i++)
        s->length += fake_unsigned5(s->data + s->length, numbers[i], vm_layout.unsigned5_excludes_zero);
    return at;
}

static bool next_is(struct code_scopes *s, uintptr_t method, int32_t bci, unsigned type)
{
    struct code_scope found;
    if (!code_scopes_next(s, &found))
        return false;
    if (found.method != method || found.bci != bci || found.type != type)
        tap_note("method %#zx bci %d type %d", found.method, found.bci, found.type);
    return found.method == method && found.bci == bci && found.type == type;
}

static bool ends(struct code_scopes *s)
{
    struct code_scope found;
    return !code_scopes_next(s, &found);
}

static void test_scopes(enum vm_nmethod_family family, bool excludes_zero, const char *which)
{
    fake_open(family, excludes_zero);
    uintptr_t class = fake_class("app/Work"), methods[3];
    methods[0] = fake_method(class, "outer", "()V", NULL, 0);
    methods[1] = fake_method(class, "middle", "()V", NULL, 0);
    methods[2] = fake_method(class, "inner", "()V", NULL, 0);
    uintptr_t nm = fake_blob("nmethod", 400, 4, 0);
    struct scopes s = {{0}, 1}; /* offset 0 means none */
    uint32_t outer = add_scope(&s, 0, 1, 7 + 1), middle = add_scope(&s, outer, 2, 300 + 1), inner = add_scope(&s, middle, 3, 0),
             loop = add_scope(&s, (uint32_t)s.length + 5, 1, 3), nowhere = add_scope(&s, 0, 0, 5), far = add_scope(&s, 0, 0x7fffffff, 5);
    const struct fake_pcdesc pcs[] = {{-1, 0},   {10, outer},    {20, inner}, {30, loop},    {40, nowhere},
                                      {50, far}, {60, 1u << 28}, {70, 0},     {INT32_MAX, 0}};
    fake_debug_info(nm, methods[0], 4, s.data, s.length, pcs, sizeof pcs / sizeof *pcs, methods, 3);
    uintptr_t begin = nm + FAKE_BLOB_HEADER;
    struct code c = code_find(begin);
    struct code_scopes it;
    tap_ok(code_scopes_begin(&it, &c, begin + 20, false) && next_is(&it, methods[2], -1, JFR_FRAME_INLINED) &&
               next_is(&it, methods[1], 300, JFR_FRAME_INLINED) && next_is(&it, methods[0], 7, JFR_FRAME_C2) && ends(&it) && ends(&it),
           "%s: inlined frames, innermost first", which);
    tap_ok(code_scopes_begin(&it, &c, begin + 10, false) && next_is(&it, methods[0], 7, JFR_FRAME_C2) && ends(&it),
           "%s: a return address belongs to the call that ends there", which);
    tap_ok(code_scopes_begin(&it, &c, begin + 10, true) && next_is(&it, methods[2], -1, JFR_FRAME_INLINED),
           "%s: an interrupted pc to what comes next", which);
    tap_ok(code_scopes_begin(&it, &c, begin + 9, true) && next_is(&it, methods[0], 7, JFR_FRAME_C2), "%s: also between two places", which);
    fake_set(nm, vm_layout.nm_compile_id, 7);
    code_sparse_until = 7;
    tap_ok(code_scopes_begin(&it, &c, begin + 19, true) && next_is(&it, methods[2], -1, JFR_FRAME_INLINED | FRAME_APPROXIMATE) &&
               next_is(&it, methods[1], 300, JFR_FRAME_INLINED | FRAME_APPROXIMATE) &&
               next_is(&it, methods[0], 7, JFR_FRAME_C2 | FRAME_APPROXIMATE) && ends(&it),
           "%s: approximate where its debug information is sparse", which);
    tap_ok(code_scopes_begin(&it, &c, begin + 10, false) && next_is(&it, methods[0], 7, JFR_FRAME_C2), "%s: but not at a return address",
           which);
    code_sparse_until = 6;
    tap_ok(code_scopes_begin(&it, &c, begin + 9, true) && next_is(&it, methods[0], 7, JFR_FRAME_C2), "%s: nor when it was compiled later",
           which);
    code_sparse_until = 0;
    tap_ok(code_scopes_begin(&it, &c, begin + 30, false) && next_is(&it, methods[0], 2, JFR_FRAME_C2) && ends(&it),
           "%s: a sender behind its callee ends the chain", which);
    tap_ok(code_scopes_begin(&it, &c, begin + 40, false) && next_is(&it, methods[0], 0, JFR_FRAME_C2) && ends(&it),
           "%s: a scope without a method: the nmethod's own", which);
    tap_ok(code_scopes_begin(&it, &c, begin + 50, false) && next_is(&it, methods[0], 0, JFR_FRAME_C2) && ends(&it),
           "%s: one with a method far outside: likewise", which);
    tap_ok(code_scopes_begin(&it, &c, begin + 60, false) && next_is(&it, methods[0], 0, JFR_FRAME_C2) && ends(&it),
           "%s: an absurd place: likewise", which);
    tap_ok(code_scopes_begin(&it, &c, begin + 70, false) && next_is(&it, methods[0], 0, JFR_FRAME_C2) && ends(&it),
           "%s: a place without scopes: likewise", which);
    tap_ok(code_scopes_begin(&it, &c, begin + 100, false) && next_is(&it, methods[0], 0, JFR_FRAME_C2) && ends(&it),
           "%s: the last entry is none", which);
    fake_set(nm, vm_layout.nm_comp_level, 2);
    tap_ok(code_scopes_begin(&it, &c, begin + 10, false) && next_is(&it, methods[0], 7, JFR_FRAME_C1), "%s: C1's tiers", which);
    fake_set(nm, vm_layout.nm_method, 0);
    tap_ok(!code_scopes_begin(&it, &c, begin + 10, false), "%s: no method, no frames", which);
}

static void test_native_wrapper(void)
{
    fake_open(VM_NMETHOD_ADDRESSES, false);
    uintptr_t method = fake_method(fake_class("app/Native"), "call", "()V", NULL, 0);
    uintptr_t nm = fake_blob("native nmethod", 100, 4, 0);
    fake_set(nm, vm_layout.nm_method, method);
    struct code c = code_find(nm + FAKE_BLOB_HEADER);
    struct code_scopes it;
    tap_ok(code_scopes_begin(&it, &c, c.begin + 4, false) && next_is(&it, method, 0, FRAME_NATIVE_METHOD) && ends(&it),
           "a native wrapper is its method");
}

static void test_newest(void)
{
    fake_open(VM_NMETHOD_OFFSETS, false);
    tap_ok(!compilations_newest(), "an empty code cache has no compilation");
    const uint64_t numbers[] = {5, 9, 7};
    uintptr_t nmethods[3];
    for (int i = 0; i < 3; i++) {
        nmethods[i] = fake_blob("nmethod", 100 + 300 * (size_t)i, 4, 0);
        fake_set(nmethods[i], vm_layout.nm_compile_id, numbers[i]);
        fake_blob("StubRoutines (1)", 200, 4, 0);
    }
    fake_set(fake_blob("native nmethod", 100, 4, 0), vm_layout.nm_compile_id, 11);
    tap_ok(compilations_newest() == 9, "the newest compilation");
    fake_free_blob(nmethods[1]);
    tap_ok(compilations_newest() == 7, "that is not freed");
    uint64_t frame = frame_java(JFR_FRAME_INLINED | FRAME_APPROXIMATE, 0xffffffff, 0xffff);
    tap_ok(frame_type(frame) == JFR_FRAME_INLINED_APPROXIMATE && frame_method(frame) == 0xffffffff && frame_bci(frame) == 0xffff &&
               frame_is_java(frame) && frame_type(frame_java(JFR_FRAME_C1, 0xffffffff, 0)) == JFR_FRAME_C1,
           "an approximate frame in a word");
}

/* Invalid debug information: the chain of scopes ends, and is no longer than its falling offsets allow. */
static void test_garbage(void)
{
    size_t longest = 0;
    fake_open(VM_NMETHOD_IMMUTABLE, true);
    uintptr_t methods[2] = {fake_method(fake_class("A"), "a", "()V", NULL, 0), 0};
    uintptr_t nm = fake_blob("nmethod", 400, 4, 0);
    uint8_t data[4096];
    struct fake_pcdesc pcs[16];
    fake_debug_info(nm, methods[0], 4, data, sizeof data, pcs, 16, methods, 2);
    uint64_t base, at;
    memcpy(&base, (void *)(nm + vm_layout.nm_immutable_data.offset), 8);
    uint32_t offset;
    memcpy(&offset, (void *)(nm + vm_layout.nm_scopes_data.offset), 4);
    at = base + offset;
    struct code c = code_find(nm + FAKE_BLOB_HEADER);
    for (int i = 0; i < 200000; i++) {
        struct code_scopes it;
        struct code_scope scope;
        size_t n = 0;
        if (i % 16 == 0)
            for (size_t j = 0; j < sizeof data; j += 4)
                *(uint32_t *)(at + j) = i % 32 ? draw() : draw() & 0x0f0f0f0f;
        for (size_t j = 0; j < 16; j++)
            *(uint32_t *)(base + 24 + j * 16 + 4 * (draw() % 2)) = draw() % 3 ? draw() % 4096 : draw();
        if (!code_scopes_begin(&it, &c, c.begin + draw() % 400, i % 2))
            continue;
        while (code_scopes_next(&it, &scope) && n <= sizeof data)
            n++;
        longest = n > longest ? n : longest;
    }
    tap_ok(longest <= sizeof data, "200,000 times garbage: the longest chain had %zu scopes", longest);
}

int main(void)
{
    fault_install();
    test_numbers(false);
    test_numbers(true);
    test_numbers_at_the_edge();
    test_lookup();
    test_broken_segmap();
    test_scopes(VM_NMETHOD_OFFSETS, false, "offsets");
    test_scopes(VM_NMETHOD_ADDRESSES, false, "addresses");
    test_scopes(VM_NMETHOD_IMMUTABLE, true, "immutable data");
    test_native_wrapper();
    test_newest();
    test_garbage();
    return tap_done();
}
