/* The tables of all versions since 8 describe the owner of an ObjectMonitor. Since JDK 24 the owner is a thread's id; such a JVM is
 * recognized by a field of JavaThread for that id. Since JDK 16 both structures contain handles in place of references. */
#include "agent/hotspot/locks.h"

#include "agent/hotspot/objects.h"
#include "agent/hotspot/vmstructs.h"

enum { HANDLES_SINCE = 16 };

static void monitors(const struct vmstructs *v, struct vm_locks *l)
{
    struct vm_field id;
    vmstructs_field(v, "ObjectMonitor", "_owner", &l->owner);
    vmstructs_field(v, "ObjectMonitor", "_object", &l->object.field);
    l->object.is_handle = vm_layout.java_version >= HANDLES_SINCE;
    l->owner_is_id = vmstructs_field(v, "JavaThread", "_monitor_owner_id", &id);
}

/* Finds a member of JavaThread or of its superclass Thread. */
static bool of_thread(const struct vmstructs *v, const char *field, struct vm_field *out)
{
    return vmstructs_field(v, "JavaThread", field, out) || vmstructs_field(v, "Thread", field, out);
}

static void stacks(const struct vmstructs *v, struct vm_locks *l)
{
    if (!of_thread(v, "_stack_base", &l->stack_base) || !of_thread(v, "_stack_size", &l->stack_size))
        l->stack_base.width = 0;
    if (!vmstructs_field(v, "JavaThread", "_lock_stack", &l->stack) || !vmstructs_field(v, "LockStack", "_top", &l->stack_top) ||
        !vmstructs_field(v, "LockStack", "_base[0]", &l->stack_first))
        l->stack.width = 0;
}

static void threads(const struct vmstructs *v, struct vm_locks *l)
{
    l->thread.is_handle = true;
    if (vmstructs_field(v, "JavaThread", "_vthread", &l->thread.field))
        return;
    vmstructs_field(v, "JavaThread", "_threadObj", &l->thread.field);
    l->thread.is_handle = vm_layout.java_version >= HANDLES_SINCE;
}

void locks_fill(void *libjvm, const struct vm_locks *fields)
{
    struct vmstructs v;
    struct vm_locks *l = &vm_layout.locks;
    if (l->owner.width || !vm_layout.usable || !vmstructs_open(&v, libjvm))
        return;
    objects_fill(&v, libjvm);
    *l = *fields;
    threads(&v, l);
    stacks(&v, l);
    monitors(&v, l);
}
