/* Where the target JVM can load the agent library from. */
#ifndef CANDOR_ATTACH_LIBRARY_H
#define CANDOR_ATTACH_LIBRARY_H

#include "attach/process.h"

/* Finds a copy of the library that the process can read, or makes one, and gives its path as the process sees it:
 *
 *   1. libcandor.so beside our own executable, when its owner is also the executable's, root or we
 *   2. ${XDG_CACHE_HOME:-~/.cache}/candor/agent-VERSION-HASH/libcandor.so
 *   3. /tmp/.candor-agent-UID-HASH/libcandor.so, in the /tmp of the process, with its user's rights and owned by it
 *
 * 2 and 3 are written from `bytes` where they are not there already, and stay: a JVM that finds another file there later
 * would load the agent a second time. A copy counts only when it and its folder are ours (3: the process's user's), nobody
 * else may write them and its content is `bytes`, byte for byte. Paths with characters that an option string could
 * misread (blanks, '=', ',') are passed over. A JVM of another C library (attach/libc.h) is refused. 0, or a negative errno with e. */
int library_place(const void *bytes, size_t len, const struct process *target, char *path, size_t size, struct error *e);

/* The part without the search (for tests): NAME/libcandor.so below the open directory. 0, -EPERM when NAME is not a
 * folder of ours, another negative errno. */
int library_install(int parent, const char *name, const void *bytes, size_t len);

#endif
