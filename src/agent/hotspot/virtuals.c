/* The layout of virtual threads was verified on JDK 21, 25 and 27, with each of their garbage collectors. */
#include "agent/hotspot/virtuals.h"

#include "agent/hotspot/objects.h"
#include "agent/hotspot/vmstructs.h"

#include <string.h>

static bool threads(const struct vmstructs *v, struct vm_virtual *t)
{
    struct vm_field parent = {0};
    vmstructs_field(v, "JavaThread", "_cont_entry", &t->thread_entry);
    vmstructs_field(v, "JavaThread", "_monitor_owner_id", &t->thread_owner);
    /* The continuation is the member after the parent. The tables contain the parent since JDK 27; before, it was the first member. */
    vmstructs_field(v, "ContinuationEntry", "_parent", &parent);
    t->entry_continuation = (uint16_t)(parent.offset + sizeof(void *));
    return vmstructs_field(v, "JavaThread", "_vthread", &t->thread_current);
}

void virtuals_fill(void *libjvm, const struct vm_virtual *fields, uint16_t bytes_in_array)
{
    struct vmstructs v;
    struct vm_objects *o = &vm_layout.objects;
    struct vm_virtual *t = &vm_layout.virtuals;
    if (t->usable || !vm_layout.usable || !vmstructs_open(&v, libjvm))
        return;
    *t = *fields;
    t->usable = objects_fill(&v, libjvm) && threads(&v, t);
    o->bytes_in_array = bytes_in_array;
}

/* The stub is called "Cont thaw return barrier" in JDK 21, "cont_returnBarrier" in 25, and "cont_returnBarrier_stub (stub gen)" in 27.
 * There is another one for exceptions, "... exception" or "...Exc...", to which no frame returns. */
void virtuals_note_stub(const char *name, uintptr_t begin, size_t length)
{
    if ((!strstr(name, "cont_returnBarrier") && !strstr(name, "Cont thaw return barrier")) || strstr(name, "returnBarrierExc") ||
        strstr(name, "exception"))
        return;
    vm_layout.virtuals.barrier_low = begin;
    vm_layout.virtuals.barrier_high = begin + length;
}
