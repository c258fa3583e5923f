/* The pause in a loop that waits for another thread. It has its own file, so that the explorer of tests/model/ can replace it. */
#include "candor/queue/common.h"

void candor_queue_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

uint64_t candor_queue_idle_spin(void *context, uint64_t idle_turns)
{
    candor_queue_pause();
    return idle_turns + 1;
}
