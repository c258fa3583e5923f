/* Which C library a shared library was built for: one built for glibc does not load into a process that runs on musl, and the
 * reverse. */
#ifndef CANDOR_ATTACH_LIBC_H
#define CANDOR_ATTACH_LIBC_H

#include "attach/process.h"

enum libc { LIBC_UNKNOWN, LIBC_GLIBC, LIBC_MUSL };

/* By the names an open 64-bit ELF file needs; whatever else the file is, or damage: LIBC_UNKNOWN. */
enum libc libc_of(int fd);
/* 0, or -ENOEXEC with e when the JVM in the process runs on another C library than the agent was built for. What cannot be told
 * is let pass: the JVM's own loader has the last word. */
int libc_check(const struct process *p, struct error *e);

#endif
