/* The programs whose profiles the server fetches: the file of --pull (docs/pull.md, base/ini.h).
 *
 *     [pull shop]
 *     url = http://shop-1.example:6060
 *     url = http://shop-2.example:6060
 *     service = shop
 *     label.env = live
 *     interval = 15s
 *     profiles = cpu, memory, mutex
 *     path.memory = /internal/pprof/heap */
#ifndef CANDOR_SERVER_PULL_TARGETS_H
#define CANDOR_SERVER_PULL_TARGETS_H

#include "base/error.h"
#include "http/token.h"
#include "store/files/labels.h"

#include <stdatomic.h>
#include <stdint.h>

enum { PULL_NAME_MAX = 64, PULL_URL_MAX = 512, PULL_PATH_MAX = 256, PULL_FILE_MAX = 512, PULL_URLS_MAX = 2000 };

/* The kinds of profiles, with their usual places, the names that Pyroscope's series have, and whether the program takes the profile for the
 * seconds that it is asked for. `sums`: its values grow since the program's start, so the server subtracts the profile before. */
#define PULL_KINDS(X)                                                                                                                      \
    X(CPU, "cpu", "/debug/pprof/profile", "process_cpu", true, false)                                                                      \
    X(MEMORY, "memory", "/debug/pprof/allocs", "memory", false, true)                                                                      \
    X(MUTEX, "mutex", "/debug/pprof/mutex", "mutex", false, true)                                                                          \
    X(BLOCK, "block", "/debug/pprof/block", "block", false, true)                                                                          \
    X(GOROUTINE, "goroutine", "/debug/pprof/goroutine", "goroutine", false, false)                                                         \
    X(WALL, "wall", "/debug/fgprof", "fgprof", true, false)                                                                                \
    X(DELTA_MEMORY, "delta-memory", "/debug/pprof/delta_heap", "memory", false, false)                                                     \
    X(DELTA_MUTEX, "delta-mutex", "/debug/pprof/delta_mutex", "mutex", false, false)                                                       \
    X(DELTA_BLOCK, "delta-block", "/debug/pprof/delta_block", "block", false, false)

enum pull_kind {
#define PULL_KIND(name, word, path, family, timed, sums) PULL_##name,
    PULL_KINDS(PULL_KIND)
#undef PULL_KIND
        PULL_KIND_COUNT
};

struct pull_kind_row {
    const char *word, *path, *family;
    bool timed, sums;
};
extern const struct pull_kind_row pull_kinds[PULL_KIND_COUNT];

/* A section. It does not change once it was read. */
struct pull_group {
    atomic_uint references;
    char name[PULL_NAME_MAX];
    char (*urls)[PULL_URL_MAX]; /* http://HOST:PORT, maybe with a path, without a slash at the end */
    uint32_t url_count, url_cap;
    struct labels labels; /* `service` is one of them */
    uint32_t interval_s, timeout_s;
    unsigned kinds; /* bits */
    char paths[PULL_KIND_COUNT][PULL_PATH_MAX];
    char token_file[PULL_FILE_MAX], user[PULL_NAME_MAX], password_file[PULL_FILE_MAX];
    char ca[PULL_FILE_MAX], certificate[PULL_FILE_MAX], key[PULL_FILE_MAX];
    char token[TOKEN_MAX], password[TOKEN_MAX]; /* of these files; "" = none */
};

struct pull_targets {
    struct pull_group **groups; /* a reference to each */
    uint32_t count, cap;
    uint32_t urls; /* of all groups */
};

/* Reads the file, and those that it names. Returns 0, or a code with a message in e; then there is nothing to deinit. */
int targets_read(struct pull_targets *t, const char *path, struct error *e);
void targets_deinit(struct pull_targets *t);

struct pull_group *pull_group_get(struct pull_group *g);
void pull_group_put(struct pull_group *g); /* g may be NULL */

#endif
