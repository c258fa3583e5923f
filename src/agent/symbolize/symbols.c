#include "agent/symbolize/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 1024 };

static const char debug_root[] = "/usr/lib/debug";

/* ---- the library's own file ---- */

/* Writes the path by which the kernel shows the file that is mapped at an address, even if the file has been deleted. Opening that path
 * requires CAP_CHECKPOINT_RESTORE or more. */
static bool mapped_file(uintptr_t at, char *out, size_t size)
{
    char line[PATH_BYTES];
    unsigned long low, high;
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !found && fgets(line, sizeof line, maps))
        found = sscanf(line, "%lx-%lx", &low, &high) == 2 && at >= low && at < high;
    if (maps)
        fclose(maps);
    if (found)
        snprintf(out, size, "/proc/self/map_files/%lx-%lx", low, high);
    return found;
}

static bool map_own(struct elf_file *out, const struct image *i, const char *path)
{
    if (elf_map(out, path))
        return false;
    if (image_is_of(i, out))
        return true;
    elf_unmap(out);
    return false;
}

/* ---- debug files ---- */

struct search {
    struct elf_build_id id;
    char digits[2 * ELF_BUILD_ID_MAX + 1]; /* of the id, in hexadecimal */
    struct elf_symbols *out;
};

static bool is_same(const struct elf_build_id *a, const struct elf_build_id *b)
{
    return a->length == b->length && !memcmp(a->bytes, b->bytes, a->length);
}

static bool try_debug(const struct search *s, const char *path)
{
    struct elf_build_id id;
    struct elf_file file;
    if (elf_map(&file, path))
        return false;
    elf_file_build_id(&file, &id);
    if (!is_same(&id, &s->id)) {
        elf_unmap(&file);
        return false;
    }
    if (elf_take(s->out, file))
        return false;
    if (s->out->only_dynamic)
        elf_close(s->out);
    return s->out->count;
}

static bool by_build_id(const struct search *s)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/.build-id/%.2s/%s.debug", debug_root, s->digits, s->digits + 2);
    return try_debug(s, path);
}

static bool by_link(const struct search *s, const struct elf_file *own, const char *library)
{
    char path[PATH_BYTES];
    size_t size;
    const char *link = elf_section(own, ".gnu_debuglink", &size), *slash = strrchr(library, '/');
    int folder = slash ? (int)(slash - library) : 0;
    if (!link || !slash || !memchr(link, 0, size) || !*link || strchr(link, '/'))
        return false;
    snprintf(path, sizeof path, "%.*s/%s", folder, library, link);
    if (try_debug(s, path))
        return true;
    snprintf(path, sizeof path, "%.*s/.debug/%s", folder, library, link);
    if (try_debug(s, path))
        return true;
    snprintf(path, sizeof path, "%s%.*s/%s", debug_root, folder, library, link);
    return try_debug(s, path);
}

static bool in_cache(const struct search *s)
{
    char path[PATH_BYTES];
    const char *cache = getenv("DEBUGINFOD_CACHE_PATH"), *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache)
        snprintf(path, sizeof path, "%s/%s/debuginfo", cache, s->digits);
    else if (caches && *caches)
        snprintf(path, sizeof path, "%s/debuginfod_client/%s/debuginfo", caches, s->digits);
    else if (home && *home)
        snprintf(path, sizeof path, "%s/.cache/debuginfod_client/%s/debuginfo", home, s->digits);
    else
        return false;
    return try_debug(s, path);
}

static bool find_debug(struct elf_symbols *out, const struct image *i, const struct elf_file *own, const char *path)
{
    struct search s = {.out = out};
    image_build_id(i, &s.id);
    for (size_t k = 0; k < s.id.length; k++)
        snprintf(s.digits + 2 * k, 3, "%02x", s.id.bytes[k]);
    return s.id.length > 1 && (by_build_id(&s) || by_link(&s, own, path) || in_cache(&s));
}

/* ---- all together ---- */

static struct elf_file open_own(const struct image *i, const char *path)
{
    char kept[64];
    struct elf_file own = {0};
    if (*path && !map_own(&own, i, path) && mapped_file(i->head.at, kept, sizeof kept))
        map_own(&own, i, kept);
    return own;
}

void symbols_open(struct elf_symbols *out, const struct image *i, const char *path)
{
    struct elf_symbols debug;
    struct elf_file own = open_own(i, path);
    int rc = elf_open_image(out, own.bytes, own.size);
    if ((rc || out->only_dynamic) && find_debug(&debug, i, &own, path)) {
        elf_close(out);
        elf_unmap(&own);
        *out = debug;
        return;
    }
    if (!rc) {
        out->file = own; /* the symbols are in this file */
        return;
    }
    elf_close(out);
    elf_unmap(&own);
    image_symbols(i, out);
}
