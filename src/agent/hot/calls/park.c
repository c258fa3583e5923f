#include "agent/hot/calls/park.h"

#include "agent/hot/java/code.h"
#include "agent/hot/java/method.h"
#include "agent/hot/load.h"
#include "agent/hot/record.h"
#include "agent/hot/walk/walk.h"

#include <stdatomic.h>

/* The id of the method, 0 = not found yet. Relaxed, because no other memory depends on it. */
static _Atomic uint32_t park_method;

/* The call in the compiled method: the address after it, the code that contains it, and the method of that code. One thread writes it once.
 * It writes pc last, with release, which pairs with the readers' acquire. */
static struct {
    _Atomic bool claimed;
    _Atomic uintptr_t pc, blob, method;
} call;

void park_forget(void)
{
    atomic_store(&call.pc, 0);
    atomic_store(&call.claimed, false);
    atomic_store(&park_method, 0);
}

static bool is(const char *text, uint16_t length, const char *other)
{
    uint16_t i = 0;
    while (i < length && other[i] && text[i] == other[i])
        i++;
    return i == length && !other[i];
}

/* Whether the method is Unsafe.park. Its name has never changed; its class moved with JDK 9. */
static bool is_park(uint32_t method)
{
    if (method && method == atomic_load_explicit(&park_method, memory_order_relaxed))
        return true;
    struct method_info m = method_get(method);
    if (!is(m.name, m.name_len, "park") ||
        (!is(m.class_name, m.class_len, "jdk/internal/misc/Unsafe") && !is(m.class_name, m.class_len, "sun/misc/Unsafe")))
        return false;
    atomic_store_explicit(&park_method, method, memory_order_relaxed);
    return true;
}

/* Whether pc is the known call. The method of the code is compared, because code may be freed and its place reused. */
static bool is_known(uintptr_t pc)
{
    uint64_t method;
    return pc == atomic_load_explicit(&call.pc, memory_order_acquire) &&
           load_field(atomic_load_explicit(&call.blob, memory_order_relaxed), vm_layout.nm_method, &method) &&
           method == atomic_load_explicit(&call.method, memory_order_relaxed);
}

static void learn(uintptr_t pc)
{
    uint64_t method;
    struct code c = code_find(pc);
    if (c.kind != CODE_NATIVE_WRAPPER || !load_field(c.blob, vm_layout.nm_method, &method) || atomic_exchange(&call.claimed, true))
        return;
    atomic_store_explicit(&call.blob, c.blob, memory_order_relaxed);
    atomic_store_explicit(&call.method, method, memory_order_relaxed);
    atomic_store_explicit(&call.pc, pc, memory_order_release);
}

bool park_was_called(uintptr_t java_thread)
{
    struct walk w;
    uint64_t frame;
    uintptr_t pc = walk_call(java_thread);
    if (pc && is_known(pc))
        return true;
    walk_begin_at_call(&w, java_thread);
    if (!walk_next(&w, &frame) || !frame_is_java(frame) || !is_park(frame_method(frame)))
        return false;
    learn(pc);
    return true;
}
