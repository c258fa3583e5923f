/*
 * test_queue_stress again, compiled for ThreadSanitizer: a race ends the program.
 *
 * tier: quick
 * timeout: 240
 */
#include "tsan.h"

int main(void)
{
    return tsan_become("queue_stress_tsan");
}
