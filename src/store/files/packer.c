#include "store/files/packer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <zstd.h>

enum { LEVEL = 1 };

struct contexts {
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int unusable; /* there is no key */

static void free_contexts(void *of)
{
    struct contexts *c = of;
    ZSTD_freeCCtx(c->pack);
    ZSTD_freeDCtx(c->unpack);
    free(c);
}

static void make_key(void)
{
    unusable = pthread_key_create(&key, free_contexts);
}

/* Returns the thread's contexts. Returns NULL if there is no memory. */
static struct contexts *own(void)
{
    pthread_once(&once, make_key);
    struct contexts *c = unusable ? NULL : pthread_getspecific(key);
    if (c || unusable)
        return c;
    c = calloc(1, sizeof *c);
    if (c && pthread_setspecific(key, c)) {
        free(c);
        c = NULL;
    }
    return c;
}

size_t packer_pack(void *to, size_t room, const void *bytes, size_t size)
{
    struct contexts *c = own();
    if (c && !c->pack)
        c->pack = ZSTD_createCCtx();
    size_t n = c && c->pack ? ZSTD_compressCCtx(c->pack, to, room, bytes, size, LEVEL) : 0;
    return ZSTD_isError(n) ? 0 : n;
}

int packer_unpack(void *to, size_t size, const void *packed, size_t packed_size)
{
    struct contexts *c = own();
    if (c && !c->unpack)
        c->unpack = ZSTD_createDCtx();
    if (!c || !c->unpack)
        return -ENOMEM;
    size_t n = ZSTD_decompressDCtx(c->unpack, to, size, packed, packed_size);
    return ZSTD_isError(n) || n != size ? -EBADMSG : 0;
}
