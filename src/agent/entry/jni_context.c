/* The native methods of candor.context.Native (java/context). The JVM looks for a native method also in the libraries of its agents, even
 * of those that were attached. So a class of that name finds these methods with any class loader, and nothing is registered. The methods
 * are called once per thread, or, for virtual threads, once per outermost scope. */
#include "agent/context/keys.h"
#include "agent/context/owners.h"
#include "agent/context/publish.h"
#include "agent/context/records.h"
#include "agent/entry/jvmti/jvmti_mounts.h"

#include <jvmti.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT JNIEXPORT jobject JNICALL Java_candor_context_Native_memory(JNIEnv *jni, jclass class);
EXPORT JNIEXPORT jint JNICALL Java_candor_context_Native_take(JNIEnv *jni, jclass class, jlong virtual_id);
EXPORT JNIEXPORT void JNICALL Java_candor_context_Native_give(JNIEnv *jni, jclass class, jint place, jlong virtual_id);
EXPORT JNIEXPORT jint JNICALL Java_candor_context_Native_key(JNIEnv *jni, jclass class, jstring name);

/* Returns the memory of all records as one buffer; null if there is none. */
EXPORT JNIEXPORT jobject JNICALL Java_candor_context_Native_memory(JNIEnv *jni, jclass class)
{
    size_t bytes;
    void *memory = records_memory(&bytes);
    if (!memory)
        return NULL;
    publish_keys();
    return (*jni)->NewDirectByteBuffer(jni, memory, (jlong)bytes);
}

/* While a virtual thread is mounted, its carrier points to the virtual thread's record, and otherwise to the carrier's own. JVMTI could
 * store a record with the thread, but storing it there would delay the mounts of all threads. */
static void mounted(JNIEnv *jni, jthread thread, int64_t id)
{
    records_point(records_address(owners_find((uint64_t)id)));
}

static void unmounted(JNIEnv *jni, jthread thread, int64_t id)
{
    records_point(0);
}

static int take_virtual(JNIEnv *jni, uint64_t id)
{
    static const struct mounts_reports reports = {mounted, unmounted};
    int record = jvmti_mounts_follow(jni, MOUNTS_FOR_CONTEXTS, &reports) ? records_take() : -1;
    if (record < 0)
        return -1;
    if (!owners_add(id, record)) {
        records_give(record);
        return -1;
    }
    records_point(records_address(record));
    return record;
}

/* Returns the offset of the calling thread's record in the memory; -1: the thread can have none. virtual_id: its id if it is virtual, else
 * 0. */
EXPORT JNIEXPORT jint JNICALL Java_candor_context_Native_take(JNIEnv *jni, jclass class, jlong virtual_id)
{
    int record = virtual_id ? take_virtual(jni, (uint64_t)virtual_id) : records_take_own();
    return record < 0 ? -1 : record * RECORDS_STRIDE;
}

/* Frees the record of the calling thread, which is virtual and no longer needs it. */
EXPORT JNIEXPORT void JNICALL Java_candor_context_Native_give(JNIEnv *jni, jclass class, jint place, jlong virtual_id)
{
    int record = place < 0 ? -1 : place / RECORDS_STRIDE;
    if (record < 0 || owners_find((uint64_t)virtual_id) != record)
        return;
    owners_remove((uint64_t)virtual_id);
    records_point(0);
    records_give(record);
}

/* Returns the number of a key; -1 as in context/keys.h. */
EXPORT JNIEXPORT jint JNICALL Java_candor_context_Native_key(JNIEnv *jni, jclass class, jstring name)
{
    char text[3 * KEY_BYTES_MAX + 1];
    int added;
    jsize length = name ? (*jni)->GetStringLength(jni, name) : 0;
    if (!length || length > KEY_BYTES_MAX)
        return -1;
    (*jni)->GetStringUTFRegion(jni, name, 0, length, text);
    int key = keys_add(text, (size_t)(*jni)->GetStringUTFLength(jni, name), &added);
    if (added)
        publish_keys();
    return key;
}
