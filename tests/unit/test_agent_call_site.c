/* Remembered call sites: which of them are recognized, and that threads which write and read one at the same time never mix two.
 * tier: quick
 * timeout: 120
 * aarch64: yes */
#include "../tap.h"
#include "fake_jvm.h"

#include "agent/hot/java/call_site.h"
#include "agent/hot/java/method.h"
#include "agent/hot/record.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static uintptr_t nmethod;

static uint64_t a_frame(uint32_t number)
{
    return frame_java(JFR_FRAME_C2, number + 1, number & 0xff);
}

static bool put(uintptr_t pc, uint32_t number, uint32_t frames)
{
    struct call_site s;
    struct code c = code_find(pc);
    bool good = call_site_begin(&s, &c);
    for (uint32_t i = 0; i < frames; i++)
        good = good && call_site_add(&s, a_frame(number + i));
    if (good)
        call_site_remember(pc, &s);
    return good;
}

static bool holds(uintptr_t pc, uint32_t number, uint32_t frames)
{
    struct call_site s;
    if (!call_site_recall(pc, &s) || s.count != frames || s.code.blob != nmethod || s.code.kind != CODE_NMETHOD)
        return false;
    for (uint32_t i = 0; i < frames; i++)
        if (s.frames[i] != a_frame(number + i))
            return false;
    return true;
}

static uintptr_t build(void)
{
    fake_open(VM_NMETHOD_ADDRESSES, false);
    call_sites_forget();
    nmethod = fake_blob("nmethod", 400, 4, 16);
    fake_set(nmethod, vm_layout.nm_compile_id, 7);
    return nmethod + FAKE_BLOB_HEADER + 100;
}

static void test_known(void)
{
    struct call_site s;
    uintptr_t pc = build();
    tap_ok(!call_site_recall(pc, &s), "what was never seen is not known");
    tap_ok(put(pc, 5, 3) && holds(pc, 5, 3), "what was remembered is, whole");
    tap_ok(!call_site_recall(pc + 1, &s), "by its own address only");
    tap_ok(put(pc, 6, 1) && holds(pc, 6, 1), "the latest counts");
    tap_ok(put(pc, 5, CALL_SITE_FRAMES_MAX) && holds(pc, 5, CALL_SITE_FRAMES_MAX), "%d frames", CALL_SITE_FRAMES_MAX);
    tap_ok(!put(pc, 5, CALL_SITE_FRAMES_MAX + 1), "with one more it is not remembered");
    tap_ok(!put(pc, UINT32_MAX, 1), "nor with a method that has no id");
    call_sites_forget();
    tap_ok(!call_site_recall(pc, &s), "what was forgotten is not known");
}

static void test_identity(void)
{
    struct call_site s;
    uintptr_t pc = build();
    put(pc, 5, 2);
    fake_set(nmethod, vm_layout.nm_compile_id, 8);
    tap_ok(!call_site_recall(pc, &s), "another nmethod in the same place is not taken for it");
    fake_set(nmethod, vm_layout.nm_compile_id, 7);
    tap_ok(holds(pc, 5, 2), "the same is");
    fake_free_blob(nmethod);
    tap_ok(!call_site_recall(pc, &s), "one that was freed is not");
    fake_set(nmethod - vm_layout.block_size, vm_layout.block_used, 1);
    fake_set(nmethod, vm_layout.blob_name, fake_copy("a stub..", 8));
    tap_ok(!call_site_recall(pc, &s), "nor is a blob of another kind");
    pc = build();
    struct code c = code_find(pc);
    tap_ok(call_site_begin(&s, &c) && call_site_add(&s, a_frame(1)), "while one is decoded");
    fake_set(nmethod, vm_layout.nm_compile_id, 9);
    call_site_remember(pc, &s);
    tap_ok(!call_site_recall(pc, &s), "another takes its place: nothing is remembered");
    vm_layout.nm_compile_id.width = 0;
    tap_ok(!put(pc, 5, 2), "nothing is where nmethods have no number");
}

/* ---- at once ---- */

enum { WRITERS = 2, READERS = 2, ROUNDS = 300000, READ = 1000 };

static uintptr_t shared_pc;
static _Atomic uint32_t mixed, found, writers_left;

/* Waits until the readers have had time to run. */
static void *write_all(void *argument)
{
    for (uint32_t i = 0; i < ROUNDS || atomic_load(&found) < READ; i++)
        put(shared_pc, i % 50000, 1 + i % 50000 % CALL_SITE_FRAMES_MAX);
    atomic_fetch_sub(&writers_left, 1);
    return argument;
}

static void *read_all(void *argument)
{
    struct call_site s;
    while (atomic_load(&writers_left)) {
        if (!call_site_recall(shared_pc, &s))
            continue;
        uint32_t number = frame_method(s.frames[0]) - 1;
        atomic_fetch_add(&found, 1);
        bool good = s.count == 1 + number % CALL_SITE_FRAMES_MAX;
        for (uint32_t i = 0; i < s.count; i++)
            good = good && s.frames[i] == a_frame(number + i);
        atomic_fetch_add(&mixed, !good);
    }
    return argument;
}

static void test_at_once(void)
{
    pthread_t threads[WRITERS + READERS];
    shared_pc = build();
    atomic_store(&writers_left, WRITERS);
    for (int i = 0; i < WRITERS + READERS; i++)
        pthread_create(&threads[i], NULL, i < WRITERS ? write_all : read_all, NULL);
    for (int i = 0; i < WRITERS + READERS; i++)
        pthread_join(threads[i], NULL);
    tap_ok(!atomic_load(&mixed) && atomic_load(&found) >= READ, "%u times read while it was written, %u times mixed", atomic_load(&found),
           atomic_load(&mixed));
}

int main(void)
{
    test_known();
    test_identity();
    test_at_once();
    return tap_done();
}
