#include "agent/context/publish.h"

#include "agent/context/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAPPING_BYTES = 4096, FIRST_PAYLOAD = 64, SECOND_PAYLOAD = 2048, VERSION = 2, MESSAGE_MAX = SECOND_PAYLOAD - FIRST_PAYLOAD };

/* Of Linux 5.17 and 3.17; the C library's headers may be older. */
enum { SET_VMA = 0x53564d41, SET_VMA_ANON_NAME = 0, CLOSED_ON_EXEC = 1 };

static const char name[] = "OTEL_CTX";

struct published {
    char signature[8];
    uint32_t version, size;
    _Atomic uint64_t published_at;
    uint64_t payload;
};
_Static_assert(sizeof(struct published) == 32, "as the specification has it");

static struct published *published;
static bool is_anothers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- protobuf ---- */

struct message {
    uint8_t bytes[MESSAGE_MAX];
    size_t len;
    bool full;
};

enum { OF_LENGTH = 2 }; /* the wire type of texts and of messages */

static void put_byte(struct message *m, uint8_t byte)
{
    if (m->len < sizeof m->bytes)
        m->bytes[m->len++] = byte;
    else
        m->full = true;
}

static void put_varint(struct message *m, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        put_byte(m, (uint8_t)(v | 0x80));
    put_byte(m, (uint8_t)v);
}

static void put_field(struct message *m, unsigned number, const void *bytes, size_t len)
{
    put_varint(m, number << 3 | OF_LENGTH);
    put_varint(m, len);
    for (size_t i = 0; i < len; i++)
        put_byte(m, ((const uint8_t *)bytes)[i]);
}

static void put_message(struct message *m, unsigned number, const struct message *inner)
{
    put_field(m, number, inner->bytes, inner->len);
    m->full |= inner->full;
}

enum { ANY_STRING = 1, ANY_ARRAY = 5, ARRAY_VALUES = 1, PAIR_KEY = 1, PAIR_VALUE = 2, RESOURCE_ATTRIBUTES = 1, CONTEXT_RESOURCE = 1,
       CONTEXT_ATTRIBUTES_FIELD = 2 };

static void put_pair(struct message *m, unsigned number, const char *key, const struct message *value)
{
    struct message pair = {.len = 0};
    put_field(&pair, PAIR_KEY, key, strlen(key));
    put_message(&pair, PAIR_VALUE, value);
    put_message(m, number, &pair);
}

static void put_text_pair(struct message *m, unsigned number, const char *key, const char *text)
{
    struct message value = {.len = 0};
    put_field(&value, ANY_STRING, text, strlen(text));
    put_pair(m, number, key, &value);
}

static void put_keys(struct message *m)
{
    struct message array = {.len = 0}, any = {.len = 0};
    for (uint32_t i = 0, n = keys_count(); i < n; i++) {
        struct message value = {.len = 0};
        put_field(&value, ANY_STRING, keys_name(i), strlen(keys_name(i)));
        put_message(&array, ARRAY_VALUES, &value);
    }
    put_message(&any, ANY_ARRAY, &array);
    put_pair(m, CONTEXT_ATTRIBUTES_FIELD, "threadlocal.attribute_key_map", &any);
}

static void put_payload(struct message *m)
{
    struct message resource = {.len = 0};
    put_text_pair(&resource, RESOURCE_ATTRIBUTES, "telemetry.distro.name", "candor");
    put_text_pair(&resource, RESOURCE_ATTRIBUTES, "telemetry.distro.version", CANDOR_VERSION);
    put_message(m, CONTEXT_RESOURCE, &resource);
    put_text_pair(m, CONTEXT_ATTRIBUTES_FIELD, "threadlocal.schema_version", "tlsdesc_v1_dev");
    put_keys(m);
}

/* ---- the mapping ---- */

/* Whether a mapping of that name is there. What one read ends with, and the next begins with, is looked at together. */
static bool is_mapped(void)
{
    char text[4096 + sizeof name];
    size_t kept = 0;
    ssize_t n;
    bool found = false;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && !found && (n = read(fd, text + kept, 4096)) > 0) {
        size_t have = kept + (size_t)n;
        found = memmem(text, have, name, sizeof name - 1) != NULL;
        kept = have < sizeof name - 2 ? have : sizeof name - 2;
        memmove(text, text + have - kept, kept);
    }
    if (fd >= 0)
        close(fd);
    return found;
}

static struct published *map(void)
{
    int fd = (int)syscall(SYS_memfd_create, name, CLOSED_ON_EXEC);
    bool is_file = fd >= 0 && !ftruncate(fd, MAPPING_BYTES);
    void *p = mmap(NULL, MAPPING_BYTES, PROT_READ | PROT_WRITE, is_file ? MAP_PRIVATE : MAP_PRIVATE | MAP_ANONYMOUS, is_file ? fd : -1, 0);
    if (fd >= 0)
        close(fd);
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, MAPPING_BYTES, MADV_DONTFORK);
    return p;
}

static uint64_t boot_time_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void write_payload(struct published *p, const struct message *m)
{
    uint8_t *first = (uint8_t *)p + FIRST_PAYLOAD, *second = (uint8_t *)p + SECOND_PAYLOAD;
    uint8_t *to = p->payload == (uint64_t)(uintptr_t)first ? second : first;
    /* Sequentially consistent, and fences with it: a reader who sees any of the new fields sees the 0 before, and the new time last. */
    atomic_store(&p->published_at, 0);
    atomic_thread_fence(memory_order_seq_cst);
    memcpy(to, m->bytes, m->len);
    p->payload = (uint64_t)(uintptr_t)to;
    p->size = (uint32_t)m->len;
    p->version = VERSION;
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store(&p->published_at, boot_time_ns());
    atomic_thread_fence(memory_order_seq_cst);
    memcpy(p->signature, name, sizeof p->signature);
    /* So that it can be found where the mapping is no file; refused by kernels that do not name mappings. */
    prctl(SET_VMA, SET_VMA_ANON_NAME, p, MAPPING_BYTES, name);
}

static int publish(void)
{
    struct message m = {.len = 0};
    put_payload(&m);
    if (m.full)
        return -ENOSPC;
    is_anothers = is_anothers || (!published && is_mapped());
    if (is_anothers)
        return -EEXIST;
    if (!published)
        published = map();
    if (!published)
        return -ENOMEM;
    write_payload(published, &m);
    return 0;
}

int publish_keys(void)
{
    int saved = errno;
    pthread_mutex_lock(&lock);
    int rc = publish();
    pthread_mutex_unlock(&lock);
    errno = saved;
    return rc;
}
