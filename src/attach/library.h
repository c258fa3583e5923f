/* Finds or makes a copy of the agent library that the target JVM can load. */
#ifndef CANDOR_ATTACH_LIBRARY_H
#define CANDOR_ATTACH_LIBRARY_H

#include "attach/process.h"

/* Finds a copy of the library that the process can read, or makes one. path: its path as the process sees it.
 *
 *   1. libcandor.so beside our own executable, if its owner is also the owner of the executable, root or our user
 *   2. ${XDG_CACHE_HOME:-~/.cache}/candor/agent-VERSION-HASH/libcandor.so
 *   3. /tmp/.candor-agent-UID-HASH/libcandor.so, in the /tmp of the process, with its user's rights and owned by it
 *
 * 2 and 3 are written from `bytes` if they do not exist, and they are not removed: a JVM that finds another file there later would load the
 * agent a second time. A copy is used only if it and its folder are ours (3: the process's user's), no other user may write them, and its
 * content equals `bytes`. Paths with characters that an option string could misread (blanks, '=', ',') are not used. A JVM with another C
 * library (attach/libc.h) is refused. Returns 0, or a negative errno with e. */
int library_place(const void *bytes, size_t len, const struct process *target, char *path, size_t size, struct error *e);

/* Makes NAME/libcandor.so below the open directory, if it is not there. This is library_place without the search, public for tests. Returns
 * 0, -EPERM if NAME is not a folder of ours, or another negative errno. */
int library_install(int parent, const char *name, const void *bytes, size_t len);

#endif
