/*
 * For a test that runs another test compiled for ThreadSanitizer. Some kernels place memory where the sanitizer's library does not
 * expect it, and the library dies before main. So this program, which is not instrumented, turns address randomization off and then
 * becomes the other program.
 */
#ifndef TESTS_TSAN_H
#define TESTS_TSAN_H

#include "../tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

/* Runs the program `name` beside this one; a race ends it. Returns only if it could not be started, after a message. */
static inline int tsan_become(const char *name)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
    char *slash;

    if (personality(ADDR_NO_RANDOMIZE) == -1)
        tap_note("address randomization stays on: not permitted here");
    path[n > 0 ? n : 0] = 0;
    slash = strrchr(path, '/');
    snprintf(slash ? slash + 1 : path, 64, "%s", name);
    setenv("TSAN_OPTIONS", "halt_on_error=1 exitcode=66", 1);
    execl(path, path, (char *)NULL);
    tap_ok(false, "%s starts", path);
    return tap_done();
}

#endif
