/* The hook around park. No interface of the JVM reports that a thread parks. But to sleep, the JVM waits for a condition of the C library,
 * which it calls through two words in its library's tables (pthread_cond_wait, pthread_cond_timedwait). Between open and close these words
 * point to functions of ours, which call the C library's. If the caller is in park, they call lock_begin_park before and lock_end_park
 * after (hot/calls/lock.h).
 *
 * No instruction of the JVM is changed, no Java code is loaded, and no thread is woken. A thread that sleeps while the words are restored
 * returns through our function, which stays, because the agent is never unloaded.
 *
 * Both functions are called on the agent's thread. */
#ifndef CANDOR_AGENT_TRIGGER_HOOKS_PARKS_H
#define CANDOR_AGENT_TRIGGER_HOOKS_PARKS_H

#include "base/error.h"

#include <stdint.h>

/* Hooks the waits in the JVM's library. library: an address in it. Returns 0, or a negative errno if the library has no such words, or if
 * they cannot be written. */
int parks_open(uintptr_t library, struct error *e);
/* Restores the words that still point to our hooks. */
void parks_close(void);

#endif
