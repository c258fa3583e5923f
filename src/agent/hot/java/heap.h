/* Java objects, read in the heap while the collector may move them. A reference is followed only if it certainly names its
 * object: threads that stand still for a collection are not asked, colored references (ZGC) must not have a color of objects
 * that may have moved, and copies that were left behind (Shenandoah) say where their object is. An object is accepted as one of
 * its class only after its header confirms it. Handler side; bounded. */
#ifndef CANDOR_AGENT_HOT_JAVA_HEAP_H
#define CANDOR_AGENT_HOT_JAVA_HEAP_H

#include "agent/hot/layout.h"
#include "jfr/schema.h"

#include <stdbool.h>
#include <stdint.h>

enum heap_class {
    HEAP_VIRTUAL_THREAD,
    HEAP_CONTINUATION,
    HEAP_VIRTUAL_TASK,
    HEAP_STACK_CHUNK,
    HEAP_OWNABLE, /* a lock of java.util.concurrent that a thread may have for itself */
    HEAP_CLASSES
};

/* False while a collection may move objects under a thread in this state; a thread that runs Java or JVM code prevents the start
 * of such a collection. *moment: the time of the read; data read meanwhile is valid if heap_is_still returns the same moment
 * again. */
bool heap_is_still(enum jfr_thread_state state, uint64_t *moment);
/* The object a handle names; the handle is a field of the structure at `owner`. */
bool heap_handle(uintptr_t owner, struct vm_field handle, uintptr_t *object);
/* The object that the word at this address refers to. The word lies outside the heap, and is a root for the collector. */
bool heap_word(uintptr_t at, uintptr_t *object);
/* The first object of that class to which a field of this object refers. The first search remembers the field's offset. JNI would
 * find it only by initializing the class. */
bool heap_find(uintptr_t object, enum heap_class class, uintptr_t *to);
/* The object a field refers to, 0 for null. */
bool heap_field(uintptr_t object, uint16_t offset, uintptr_t *to);
/* The object to which a word on a stack refers. */
bool heap_on_stack(uintptr_t at, uintptr_t *object);
bool heap_is(uintptr_t object, enum heap_class class);
/* The Klass* of an object, and whether that class is, or extends, one of these. */
bool heap_klass(uintptr_t object, uintptr_t *klass);
bool heap_klass_extends(uintptr_t klass, enum heap_class class);
/* The size of an instance in bytes, without what the JVM adds for its class when it creates the instance. */
bool heap_instance_bytes(uintptr_t object, uint32_t *bytes);

#endif
