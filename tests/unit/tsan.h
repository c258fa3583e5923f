/*
 * For a test that is another one compiled for ThreadSanitizer: some kernels place memory where the sanitizer's library does not
 * expect it, and the library dies before main; so this program, which is not instrumented, turns address randomisation off and
 * becomes the other.
 */
#ifndef TESTS_TSAN_H
#define TESTS_TSAN_H

#include "../tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

/* The program `name` beside this one; a race ends it. Comes back only to say that it did not start. */
static inline int tsan_become(const char *name)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
    char *slash;

    if (personality(ADDR_NO_RANDOMIZE) == -1)
        tap_note("address randomisation stays on: not permitted here");
    path[n > 0 ? n : 0] = 0;
    slash = strrchr(path, '/');
    snprintf(slash ? slash + 1 : path, 64, "%s", name);
    setenv("TSAN_OPTIONS", "halt_on_error=1 exitcode=66", 1);
    execl(path, path, (char *)NULL);
    tap_ok(false, "%s starts", path);
    return tap_done();
}

#endif
