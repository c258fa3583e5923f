/* Whether a thread waits because LockSupport.park was called: the first time by a walk, later by the address of the call, as long as the
 * code there belongs to park.
 * tier: quick
 * timeout: 30
 * aarch64: yes */
#include "../tap.h"
#include "fake_frames.h"
#include "fake_jvm.h"

#include "agent/hot/calls/park.h"
#include "agent/hot/fault/fault.h"
#include "agent/hot/java/method.h"
#include "agent/hot/walk/walk.h"

enum { STACK_WORDS = 64, CALL = 40 };

static uintptr_t java_thread, park, sleeping, park_code, sleep_code;
static uint64_t *stack;

static uintptr_t native_code(uintptr_t method)
{
    uintptr_t blob = fake_blob("native nmethod", 100, 6, 16);
    fake_set(blob, vm_layout.nm_method, method);
    fake_call_before(blob + FAKE_BLOB_HEADER + CALL);
    return blob;
}

static void build(void)
{
    fake_open(VM_NMETHOD_ADDRESSES, false);
    method_table_deinit();
    method_table_init(8 << 20);
    park_forget();
    park = fake_method(fake_class("jdk/internal/misc/Unsafe"), "park", "(ZJ)V", NULL, 0);
    sleeping = fake_method(fake_class("java/lang/Thread"), "sleepNanos0", "(J)V", NULL, 0);
    park_code = native_code(park);
    sleep_code = native_code(sleeping);
    stack = (uint64_t *)fake_alloc(STACK_WORDS * 8);
    java_thread = fake_alloc(256);
    fake_set(java_thread, vm_layout.thread_state, vm_layout.state_blocked);
}

/* The thread has called the JVM from this place. */
static bool waits(uintptr_t blob)
{
    uintptr_t anchor = java_thread + vm_layout.thread_anchor.offset;
    stack[7] = fake_return_word(blob + FAKE_BLOB_HEADER + CALL);
    *(uint64_t *)(anchor + vm_layout.anchor_sp) = (uintptr_t)&stack[8];
    return park_was_called(java_thread);
}

static void test_calls(void)
{
    build();
    tap_ok(!waits(sleep_code), "who sleeps is not parked");
    tap_ok(waits(park_code), "who parks is");
    tap_ok(waits(park_code) && !waits(sleep_code) && waits(park_code), "and again, with the call known");
    uintptr_t second = native_code(park);
    tap_ok(waits(second) && waits(park_code), "so is who calls from other code of park's");
    *(uint64_t *)(java_thread + vm_layout.thread_anchor.offset + vm_layout.anchor_sp) = 0;
    tap_ok(!park_was_called(java_thread), "a thread without Java frames is not");
    tap_ok(!park_was_called(8), "nor is what is no thread");
}

/* The names that a walk would read are removed: a call that is known already does not need them. */
static void test_known(void)
{
    build();
    tap_ok(waits(park_code), "a call is met");
    fake_set(park_code - vm_layout.block_size, vm_layout.block_used, 0);
    tap_ok(waits(park_code), "and known without a walk");
    park_forget();
    tap_ok(!waits(park_code), "until it is forgotten");
}

static void test_reused(void)
{
    build();
    tap_ok(waits(park_code), "a call is met");
    fake_set(park_code, vm_layout.nm_method, sleeping);
    tap_ok(!waits(park_code), "code of another method in its place is not park's");
    fake_set(park_code, vm_layout.nm_method, park);
    tap_ok(waits(park_code), "and park's is again");
}

int main(void)
{
    fault_install();
    test_calls();
    test_known();
    test_reused();
    return tap_done();
}
