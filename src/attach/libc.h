/* Which C library a shared library was built for: one built for glibc does not load into a process that runs on musl, and the
 * reverse. */
#ifndef CANDOR_ATTACH_LIBC_H
#define CANDOR_ATTACH_LIBC_H

#include "attach/process.h"

enum libc { LIBC_UNKNOWN, LIBC_GLIBC, LIBC_MUSL };

/* Which C library an open 64-bit ELF file uses, by the names of the libraries that it needs. LIBC_UNKNOWN for a damaged file, or one
 * that is something else. */
enum libc libc_of(int fd);
/* 0, or -ENOEXEC with e when the JVM in the process runs on another C library than the agent was built for. 0 also if the C library
 * is unknown: then the JVM's own loader decides. */
int libc_check(const struct process *p, struct error *e);

#endif
