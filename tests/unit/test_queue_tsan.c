/*
 * test_queue_stress again, compiled for ThreadSanitizer: a race ends it. Some kernels place memory where the sanitizer's
 * library does not expect it, and the library dies before main; so this program, which is not instrumented, turns address
 * randomisation off and becomes the other.
 *
 * tier: quick
 * timeout: 240
 */
#include "../tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

int main(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
    char *slash;

    if (personality(ADDR_NO_RANDOMIZE) == -1)
        tap_note("address randomisation stays on: not permitted here");
    path[n > 0 ? n : 0] = 0;
    slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, "queue_stress_tsan");
    setenv("TSAN_OPTIONS", "halt_on_error=1 exitcode=66", 1);
    execl(path, path, (char *)NULL);
    tap_ok(false, "%s starts", path);
    return tap_done();
}
