#include "agent/entry/jvmti/jvmti_unmounts.h"

#include "agent/entry/jvmti/java_attach.h"
#include "agent/entry/jvmti/jvmti_mounts.h"
#include "agent/hot/calls/unmounts.h"
#include "agent/hot/layout.h"
#include "agent/record/jvm.h"
#include "agent/trigger/jvm/mount_events.h"

#include <stdatomic.h>

enum { VIRTUAL_THREADS_SINCE = 21 };

/* Relaxed, because it only avoids needless work in a late report. */
static bool is_on(void)
{
    return atomic_load_explicit(&unmount_config.on, memory_order_relaxed);
}

static void unmounted(JNIEnv *jni, jthread thread, int64_t id)
{
    static const enum unmount_way ways[] = {
        [VIRTUAL_RUNS] = UNMOUNT_OTHERWISE, [VIRTUAL_PARKS] = UNMOUNT_PARKS, [VIRTUAL_YIELDS] = UNMOUNT_YIELDS};
    if (is_on())
        unmount_left((uintptr_t)jni - vm_layout.env_offset, id, ways[jvmti_mounts_doing(jni, thread)]);
}

/* A thread that is pinned to its carrier still parks or yields. */
static void mounted(JNIEnv *jni, jthread thread, int64_t id)
{
    if (is_on())
        unmount_returned(id, jvmti_mounts_doing(jni, thread) != VIRTUAL_RUNS);
}

static bool open_events(void)
{
    static const struct mounts_reports reports = {mounted, unmounted};
    JNIEnv *jni = jvm_facts.java_version >= VIRTUAL_THREADS_SINCE && vm_layout.env_offset ? java_attach() : NULL;
    if (!jni)
        return false;
    bool follows = jvmti_mounts_follow(jni, MOUNTS_FOR_WALL, &reports);
    java_detach();
    return follows;
}

static void close_events(void)
{
    if (!java_attach())
        return;
    jvmti_mounts_leave(MOUNTS_FOR_WALL);
    java_detach();
}

void jvmti_unmounts_init(void)
{
    mount_events = (struct mount_events){open_events, close_events};
}
