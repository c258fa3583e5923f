#include "agent/context/foreign.h"

#include "agent/context/foreign_keys.h"
#include "agent/hot/context.h"
#include "agent/hot/foreign.h"
#include "agent/hot/time.h"
#include "agent/hot/unwind/frame.h"
#include "agent/symbolize/modules.h"
#include "base/time_units.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { LIBRARIES_MAX = 64, PATH_BYTES = 512, FIXED_BYTES_MAX = 1 << 16 };

/* A library with thread-local variables. */
struct library {
    char path[PATH_BYTES];
    size_t module, bytes;
};

static struct {
    struct library libraries[LIBRARIES_MAX];
    int count;
    uint64_t places[FOREIGN_MAX];
    int place_count;
    unsigned long long changes;
    uint64_t next_keys_ns;
} found;

static int note_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    struct library *l = &found.libraries[found.count];
    if (!info->dlpi_tls_modid || found.count == LIBRARIES_MAX || snprintf(l->path, sizeof l->path, "%s", info->dlpi_name) >= PATH_BYTES)
        return 0;
    l->module = info->dlpi_tls_modid;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            l->bytes = info->dlpi_phdr[i].p_memsz;
    found.count++;
    return 0;
}

/* Variables at a fixed place are in the mapping of the thread's stack, next to the thread pointer, which the agent's thread has above its
 * stack. */
static bool is_fixed(uintptr_t variable, uintptr_t thread_pointer)
{
#if defined(__x86_64__)
    return variable > (uintptr_t)__builtin_frame_address(0) && variable < thread_pointer;
#else
    return variable > thread_pointer && variable - thread_pointer < FIXED_BYTES_MAX;
#endif
}

/* Returns the place of the calling thread's variable in any thread; 0: it is not one of this library. */
static uint64_t place_of(const struct library *l, uintptr_t variable)
{
    uintptr_t thread_pointer = frame_thread_pointer(), block;
    if (is_fixed(variable, thread_pointer))
        return foreign_fixed((intptr_t)(variable - thread_pointer));
    bool is_in_block = foreign_block(thread_pointer, l->module, &block) && variable >= block && variable - block < l->bytes;
    return is_in_block ? foreign_in_block(l->module, variable - block) : 0;
}

static void add_place(uint64_t place)
{
    for (int i = 0; i < found.place_count; i++)
        if (found.places[i] == place)
            return;
    if (place && found.place_count < FOREIGN_MAX)
        found.places[found.place_count++] = place;
}

/* dlsym makes the calling thread's variable, if there is none yet. */
static void look_into(const struct library *l)
{
    void *handle = dlopen(l->path[0] ? l->path : NULL, RTLD_NOLOAD | RTLD_LAZY);
    void *variable = handle ? dlsym(handle, "otel_thread_ctx_v1") : NULL;
    if (variable && variable != (void *)&otel_thread_ctx_v1)
        add_place(place_of(l, (uintptr_t)variable));
    if (handle)
        dlclose(handle);
}

/* Nothing is looked up while dl_iterate_phdr holds the linker's lock. */
static void find_places(void)
{
    found.count = found.place_count = 0;
    dl_iterate_phdr(note_library, NULL);
    for (int i = 0; i < found.count; i++)
        look_into(&found.libraries[i]);
}

void foreign_update(void)
{
    bool has_changed = modules_changes() != found.changes;
    if (has_changed) {
        found.changes = modules_changes();
        find_places();
    }
    uint64_t now = time_now_ns(CLOCK_MONOTONIC);
    if (!has_changed && (!found.place_count || now < found.next_keys_ns))
        return;
    found.next_keys_ns = now + NS_PER_S;
    bool may_read = !found.place_count || foreign_keys_update();
    for (int i = 0; i < FOREIGN_MAX; i++)
        atomic_store_explicit(&foreign_places[i], may_read && i < found.place_count ? found.places[i] : 0, memory_order_relaxed);
}
