/* A library that publishes contexts of threads and of the process for profilers, as OTEP 4947 and 4719 describe it; nothing of Candor's is
 * in it (tests/java/ForeignContexts.java). It is built once for each way in which such a library may reach its thread-local variable. */
#include <jni.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

JNIEXPORT void JNICALL Java_ForeignContexts_publish(JNIEnv *jni, jclass unused, jbyteArray payload);
JNIEXPORT void JNICALL Java_ForeignContexts_attach(JNIEnv *jni, jclass unused, jlong trace, jlong span, jbyteArray attributes);
JNIEXPORT void JNICALL Java_ForeignContexts_detach(JNIEnv *jni, jclass unused);
JNIEXPORT void JNICALL Java_ForeignContexts_point(JNIEnv *jni, jclass unused, jlong address);

enum { PAGE = 4096, PAYLOAD_AT = 1024 };

struct header {
    char signature[8];
    uint32_t version, size;
    uint64_t published_at, payload;
};

struct record {
    uint8_t trace[16], span[8], valid, flags;
    uint16_t size;
    uint8_t attributes[612];
};

__attribute__((visibility("default"))) __thread struct record *otel_thread_ctx_v1;
static __thread struct record *mine;
static struct header *header;

static struct header *map(void)
{
    int fd = memfd_create("OTEL_CTX", 1);
    if (fd < 0 || ftruncate(fd, PAGE))
        abort();
    void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    close(fd);
    madvise(p, PAGE, MADV_DONTFORK);
    return p;
}

JNIEXPORT void JNICALL Java_ForeignContexts_publish(JNIEnv *jni, jclass unused, jbyteArray payload)
{
    struct timespec now;
    jsize size = (*jni)->GetArrayLength(jni, payload);
    header = header ? header : map();
    header->published_at = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    (*jni)->GetByteArrayRegion(jni, payload, 0, size, (jbyte *)header + PAYLOAD_AT);
    header->payload = (uint64_t)(uintptr_t)header + PAYLOAD_AT;
    header->size = (uint32_t)size;
    header->version = 2;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    clock_gettime(CLOCK_BOOTTIME, &now);
    header->published_at = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    memcpy(header->signature, "OTEL_CTX", 8);
}

static void put_big_endian(uint8_t *out, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(v >> (56 - 8 * i));
}

/* Only the calling thread and its signal handlers read the record meanwhile. */
JNIEXPORT void JNICALL Java_ForeignContexts_attach(JNIEnv *jni, jclass unused, jlong trace, jlong span, jbyteArray attributes)
{
    mine = mine ? mine : calloc(1, sizeof *mine);
    mine->valid = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    put_big_endian(mine->trace, (uint64_t)trace);
    put_big_endian(mine->trace + 8, (uint64_t)trace);
    put_big_endian(mine->span, (uint64_t)span);
    mine->size = (uint16_t)(*jni)->GetArrayLength(jni, attributes);
    (*jni)->GetByteArrayRegion(jni, attributes, 0, mine->size, (jbyte *)mine->attributes);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    mine->valid = 1;
    otel_thread_ctx_v1 = mine;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

JNIEXPORT void JNICALL Java_ForeignContexts_detach(JNIEnv *jni, jclass unused)
{
    otel_thread_ctx_v1 = NULL;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* A broken writer. */
JNIEXPORT void JNICALL Java_ForeignContexts_point(JNIEnv *jni, jclass unused, jlong address)
{
    otel_thread_ctx_v1 = (struct record *)(uintptr_t)address;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
