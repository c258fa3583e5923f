#include "agent/context/keys.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static char names[KEYS_MAX][KEY_BYTES_MAX + 1] = {[KEY_ENDPOINT] = "endpoint", [KEY_ROOT_SPAN_ID] = "root_span_id"};
static _Atomic uint32_t count = KEYS_OF_OURS;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_key(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (name[i] <= ' ' || name[i] >= 0x7f || name[i] == '=')
            return 0;
    return len && len <= KEY_BYTES_MAX;
}

static int find(const char *name, size_t len, uint32_t known)
{
    for (uint32_t i = 0; i < known; i++)
        if (strlen(names[i]) == len && !memcmp(names[i], name, len))
            return (int)i;
    return -1;
}

int keys_add(const char *name, size_t len, int *added)
{
    *added = 0;
    if (!is_key(name, len))
        return -1;
    pthread_mutex_lock(&lock);
    uint32_t known = atomic_load_explicit(&count, memory_order_relaxed); /* relaxed, because it is written under this lock */
    int key = find(name, len, known);
    if (key < 0 && known < KEYS_MAX) {
        memcpy(names[known], name, len);
        key = (int)known;
        *added = 1;
        /* Release: pairs with the acquire of a thread that reads names without the lock. */
        atomic_store_explicit(&count, known + 1, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return key;
}

const char *keys_name(uint32_t key)
{
    return key < keys_count() ? names[key] : NULL;
}

uint32_t keys_count(void)
{
    return atomic_load_explicit(&count, memory_order_acquire);
}
