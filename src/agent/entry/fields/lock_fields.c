#include "agent/entry/fields/lock_fields.h"

#include "agent/entry/fields/fields.h"
#include "agent/hotspot/locks.h"

void lock_fields_read(JNIEnv *jni, void *libjvm)
{
    struct vm_locks f = {0};
    fields_offset(jni, "java/lang/Thread", "parkBlocker", "Ljava/lang/Object;", &f.park_blocker);
    fields_offset(jni, "java/lang/Thread", "tid", "J", &f.thread_id);
    fields_offset(jni, "java/util/concurrent/locks/AbstractOwnableSynchronizer", "exclusiveOwnerThread", "Ljava/lang/Thread;",
                  &f.exclusive_owner);
    locks_fill(libjvm, &f);
}
