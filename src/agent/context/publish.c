#include "agent/context/publish.h"

#include "agent/context/keys.h"
#include "base/time_units.h"

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

/* These constants are from Linux 5.17 and 3.17; the C library's headers may be older. */
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

/* A message that is written from its end to its beginning, because a field's length is only known after its content. */
struct message {
    uint8_t bytes[MESSAGE_MAX];
    size_t at; /* where the written part begins */
    bool full;
};

enum { OF_LENGTH = 2, GROUP_BITS = 7 }; /* the wire type of texts and of messages; the bits of a number in one byte */

static void put_byte(struct message *m, uint8_t byte)
{
    if (m->at)
        m->bytes[--m->at] = byte;
    else
        m->full = true;
}

/* Writes a number. The lowest group of bits comes first. All groups except the highest have a mark that more groups follow. */
static void put_varint(struct message *m, uint64_t v)
{
    unsigned shift = 0;
    while (v >> shift > 0x7f)
        shift += GROUP_BITS;
    put_byte(m, (uint8_t)(v >> shift));
    for (; shift; shift -= GROUP_BITS)
        put_byte(m, (uint8_t)(v >> (shift - GROUP_BITS) | 0x80));
}

/* Makes a field from everything that was written since the message began at `end`. */
static void make_field(struct message *m, unsigned number, size_t end)
{
    put_varint(m, end - m->at);
    put_varint(m, number << 3 | OF_LENGTH);
}

static void put_text(struct message *m, unsigned number, const char *text)
{
    size_t end = m->at;
    for (size_t i = strlen(text); i > 0; i--)
        put_byte(m, (uint8_t)text[i - 1]);
    make_field(m, number, end);
}

enum {
    ANY_STRING = 1,
    ANY_ARRAY = 5,
    ARRAY_VALUES = 1,
    PAIR_KEY = 1,
    PAIR_VALUE = 2,
    RESOURCE_ATTRIBUTES = 1,
    CONTEXT_RESOURCE = 1,
    CONTEXT_ATTRIBUTES_FIELD = 2
};

/* Makes a pair, whose value is everything that was written since `end`. */
static void make_pair(struct message *m, unsigned number, const char *key, size_t end)
{
    make_field(m, PAIR_VALUE, end);
    put_text(m, PAIR_KEY, key);
    make_field(m, number, end);
}

static void put_text_pair(struct message *m, unsigned number, const char *key, const char *text)
{
    size_t end = m->at;
    put_text(m, ANY_STRING, text);
    make_pair(m, number, key, end);
}

static void put_keys(struct message *m)
{
    size_t end = m->at;
    for (uint32_t i = keys_count(); i > 0; i--) {
        size_t value = m->at;
        put_text(m, ANY_STRING, keys_name(i - 1));
        make_field(m, ARRAY_VALUES, value);
    }
    make_field(m, ANY_ARRAY, end);
    make_pair(m, CONTEXT_ATTRIBUTES_FIELD, "threadlocal.attribute_key_map", end);
}

static void put_payload(struct message *m)
{
    put_keys(m);
    put_text_pair(m, CONTEXT_ATTRIBUTES_FIELD, "threadlocal.schema_version", "tlsdesc_v1_dev");
    size_t end = m->at;
    put_text_pair(m, RESOURCE_ATTRIBUTES, "telemetry.distro.version", CANDOR_VERSION);
    put_text_pair(m, RESOURCE_ATTRIBUTES, "telemetry.distro.name", "candor");
    make_field(m, CONTEXT_RESOURCE, end);
}

/* ---- the mapping ---- */

/* Whether a mapping with that name exists. The last bytes of each read are searched together with the next read. */
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
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void write_payload(struct published *p, const struct message *m)
{
    uint8_t *first = (uint8_t *)p + FIRST_PAYLOAD, *second = (uint8_t *)p + SECOND_PAYLOAD;
    uint8_t *to = p->payload == (uint64_t)(uintptr_t)first ? second : first;
    /* The stores are sequentially consistent, with fences: a reader that sees any of the new fields sees the 0 written before, and sees the
     * new time last. */
    atomic_store(&p->published_at, 0);
    atomic_thread_fence(memory_order_seq_cst);
    memcpy(to, m->bytes + m->at, sizeof m->bytes - m->at);
    p->payload = (uint64_t)(uintptr_t)to;
    p->size = (uint32_t)(sizeof m->bytes - m->at);
    p->version = VERSION;
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store(&p->published_at, boot_time_ns());
    atomic_thread_fence(memory_order_seq_cst);
    memcpy(p->signature, name, sizeof p->signature);
    /* The name makes the mapping visible even if it is not a file. Kernels that do not name mappings refuse the call. */
    prctl(SET_VMA, SET_VMA_ANON_NAME, p, MAPPING_BYTES, name);
}

static int publish(void)
{
    struct message m = {.at = sizeof m.bytes};
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

uintptr_t publish_address(void)
{
    pthread_mutex_lock(&lock);
    uintptr_t address = (uintptr_t)published;
    pthread_mutex_unlock(&lock);
    return address;
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
