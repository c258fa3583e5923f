#include "compress/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_BYTES = 1 << 16 };

void spool_init(struct spool *s)
{
    *s = (struct spool){.fd = -1};
}

static int open_file(struct spool *s, struct error *e)
{
    const char *chosen = getenv("TMPDIR"), *folders[] = {chosen && *chosen ? chosen : "/var/tmp", "/var/tmp", "/tmp"};
    for (size_t i = 0; s->fd < 0 && i < sizeof folders / sizeof *folders; i++)
        s->fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (s->fd < 0)
        return error_set(e, -errno, "no room for a large input: cannot create a file in %s: %s; set TMPDIR", folders[0], strerror(errno));
    return 0;
}

static int write_all(struct spool *s, const uint8_t *bytes, uint64_t n, struct error *e)
{
    while (n) {
        ssize_t written = write(s->fd, bytes, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return error_set(e, -errno, "no room for a large input: %s; set TMPDIR to a folder with more", strerror(errno));
        bytes += written;
        n -= (uint64_t)written;
    }
    return 0;
}

static int spill(struct spool *s, struct error *e)
{
    int rc = open_file(s, e);
    if (!rc)
        rc = write_all(s, s->bytes, s->size, e);
    free(s->bytes);
    s->bytes = NULL;
    return rc;
}

static int grow(struct spool *s, uint64_t wanted, struct error *e)
{
    uint64_t cap = s->cap ? s->cap : FIRST_BYTES;
    while (cap < wanted)
        cap *= 2;
    uint8_t *grown = realloc(s->bytes, cap);
    if (!grown)
        return error_set(e, -ENOMEM, "out of memory");
    s->bytes = grown;
    s->cap = cap;
    return 0;
}

int spool_put(struct spool *s, const void *bytes, size_t n, struct error *e)
{
    int rc = 0;
    if (s->fd < 0 && s->size + n > SPOOL_MEMORY)
        rc = spill(s, e);
    else if (s->fd < 0 && s->size + n > s->cap)
        rc = grow(s, s->size + n, e);
    if (rc)
        return rc;
    if (s->fd >= 0)
        rc = write_all(s, bytes, n, e);
    else if (n)
        memcpy(s->bytes + s->size, bytes, n);
    s->size += rc ? 0 : n;
    return rc;
}

int spool_finish(struct spool *s, struct error *e)
{
    if (s->fd < 0)
        return 0;
    void *map = mmap(NULL, s->size, PROT_READ, MAP_SHARED, s->fd, 0);
    if (map == MAP_FAILED)
        return error_set(e, -errno, "a large input cannot be mapped: %s", strerror(errno));
    s->bytes = map;
    return 0;
}

void spool_deinit(struct spool *s)
{
    if (s->fd >= 0) {
        if (s->bytes)
            munmap(s->bytes, s->size);
        close(s->fd);
    } else {
        free(s->bytes);
    }
    spool_init(s);
}
