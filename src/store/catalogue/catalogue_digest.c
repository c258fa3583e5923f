/* Checks the catalog's file by a digest. SQLite has no checksums: it notices a changed byte only if the byte breaks the file's structure.
 * So the digest is written beside the catalog when the catalog is closed, and is checked when it is opened. After a crash there is no
 * digest.
 *
 *     catalogue.db.sum: u64 bytes | u64 XXH3 of these bytes | u64 XXH3 of the 16 bytes before      (little-endian) */
#include "store/catalogue/catalogue_internal.h"

#include "store/files/checksum.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 20 };

struct digest {
    uint64_t bytes, checksum, own;
};

static const char *path_of(char out[DISK_PATH_MAX + 8], const char *path)
{
    snprintf(out, DISK_PATH_MAX + 8, "%s.sum", path);
    return out;
}

static int digest_file(int fd, struct digest *d)
{
    void *state = checksum_new();
    uint8_t *block = malloc(BLOCK);
    ssize_t got = -1;
    *d = (struct digest){0};
    while (state && block && (got = read(fd, block, BLOCK)) > 0) {
        checksum_add(state, block, (size_t)got);
        d->bytes += (uint64_t)got;
    }
    if (!got) {
        d->bytes = htole64(d->bytes);
        d->checksum = htole64(checksum_end(state));
        d->own = htole64(checksum_of(d, offsetof(struct digest, own)));
    }
    checksum_free(state);
    free(block);
    return got ? -EIO : 0;
}

static int digest_of(const char *path, struct digest *d)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 ? -errno : digest_file(fd, d);
    if (fd >= 0)
        close(fd);
    return rc;
}

static int remove_digest(const char *file, struct error *e)
{
    char folder[DISK_PATH_MAX + 8];
    snprintf(folder, sizeof folder, "%s", file);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    int rc = disk_remove(file);
    return rc ? error_set(e, rc, "%s: cannot be removed: %s", file, strerror(-rc)) : disk_sync_directory(slash ? folder : ".", e);
}

/* A digest that is damaged itself counts as absent. That of a damaged catalog stays until the catalog is put aside: if the server is killed
 * before, the next start finds the damage again. */
int catalogue_digest_check(const char *path, struct error *e)
{
    char file[DISK_PATH_MAX + 8];
    struct digest is, was;
    uint8_t *bytes;
    size_t size;
    if (access(path_of(file, path), F_OK))
        return 0;
    int rc = disk_read_file(file, sizeof was, &bytes, &size, e);
    bool told = !rc && size == sizeof was;
    if (told)
        memcpy(&was, bytes, sizeof was);
    free(bytes);
    told = told && le64toh(was.own) == checksum_of(&was, offsetof(struct digest, own));
    bool differs = told && !digest_of(path, &is) && memcmp(&is, &was, sizeof is);
    return differs ? error_set(e, -EBADMSG, "%s: damaged: it is not what was written", path) : remove_digest(file, e);
}

void catalogue_digest_write(const char *path)
{
    char file[DISK_PATH_MAX + 8];
    struct digest d;
    struct error e;
    if (!digest_of(path, &d))
        disk_write_synced(path_of(file, path), &d, sizeof d, &e);
}
