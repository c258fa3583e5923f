/* The kernel's part of a stack. The kernel walks its own frames when the clock expires, and writes them into a ring of one page that
 * belongs to the thread's perf event (trigger/clocks/rings.c); the handler, which runs when the thread is back in user mode, takes them
 * from there. The function is wait-free: the kernel has written before it sends the signal, and the thread is the only reader. */
#ifndef CANDOR_AGENT_HOT_KERNEL_H
#define CANDOR_AGENT_HOT_KERNEL_H

#include <stdint.h>

enum { KERNEL_FRAMES_MAX = 64 };

/* Reads everything in the ring (0 = there is none). Returns the number of frames of the last expiry, leaf first; 0 if the thread
 * was in user mode. */
uint32_t kernel_frames(uintptr_t ring, uint64_t frames[KERNEL_FRAMES_MAX]);

#endif
