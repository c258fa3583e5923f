/* Finds the C library for which a shared library was built. A library for glibc does not load into a process that runs on musl, and vice
 * versa. */
#ifndef CANDOR_ATTACH_LIBC_H
#define CANDOR_ATTACH_LIBC_H

#include "attach/process.h"

enum libc { LIBC_UNKNOWN, LIBC_GLIBC, LIBC_MUSL };

/* Returns the C library that an open 64-bit ELF file uses, by the names of the libraries that it needs. The result is LIBC_UNKNOWN if the
 * file is damaged, or is not an ELF file. */
enum libc libc_of(int fd);
/* Checks that the JVM in the process runs on the C library for which the agent was built. Returns 0, or -ENOEXEC with e. It also returns 0
 * if the C library is unknown: then the JVM's own loader decides. */
int libc_check(const struct process *p, struct error *e);

#endif
