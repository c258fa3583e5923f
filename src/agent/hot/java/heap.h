/* Reads Java objects in the heap while the collector may move them. A reference is followed only if it certainly names its object. No reads
 * happen while threads stand still for a collection. Colored references (ZGC) must not have a color of objects that may have moved. Copies
 * that were left behind (Shenandoah) say where their object is. An object is accepted as an instance of its class only after its header
 * confirms it. Handlers call these functions, and their work is bounded. */
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
    HEAP_OWNABLE, /* a lock of java.util.concurrent that a thread can own exclusively */
    HEAP_CLASSES
};

/* Whether no collection can move objects now, for a thread in this state; a thread that runs Java or JVM code prevents the start of such a
 * collection. *moment: the time of the read. Data read meanwhile is valid if heap_is_still returns the same moment again. */
bool heap_is_still(enum jfr_thread_state state, uint64_t *moment);
/* Finds the object that a handle names. The handle is a field of the structure at `owner`. */
bool heap_handle(uintptr_t owner, struct vm_field handle, uintptr_t *object);
/* Finds the object to which the word at this address refers. The word is outside the heap, and is a root for the collector. */
bool heap_word(uintptr_t at, uintptr_t *object);
/* Finds the first object of that class to which a field of this object refers. The first search remembers the field's offset. JNI could
 * find the offset only by initializing the class. */
bool heap_find(uintptr_t object, enum heap_class class, uintptr_t *to);
/* Finds the object to which a field refers; *to is 0 for null. */
bool heap_field(uintptr_t object, uint16_t offset, uintptr_t *to);
/* Finds the object to which a word on a stack refers. */
bool heap_on_stack(uintptr_t at, uintptr_t *object);
bool heap_is(uintptr_t object, enum heap_class class);
/* Find the Klass* of an object, and whether that class is one of these or extends one. */
bool heap_klass(uintptr_t object, uintptr_t *klass);
bool heap_klass_extends(uintptr_t klass, enum heap_class class);
/* Finds the size of an instance in bytes, without the bytes that the JVM adds for its class when it creates the instance. */
bool heap_instance_bytes(uintptr_t object, uint32_t *bytes);

#endif
