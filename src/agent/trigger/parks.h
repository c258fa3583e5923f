/* The hook around park. No interface of the JVM tells when a thread parks; but to sleep, it has the C library wait for a condition, which
 * it calls through two words of its library's tables (pthread_cond_wait, pthread_cond_timedwait). Between open and close these name
 * functions of ours, which call the C library's; around them, where the caller stands in park, lock_begin_park and lock_end_park
 * (hot/lock.h).
 *
 * No instruction of the JVM's is changed, no Java is loaded, and nothing is woken. A thread that sleeps while the words are put back
 * returns through our function, which stays: the agent is never unloaded.
 *
 * open and close on the agent's thread. */
#ifndef CANDOR_AGENT_TRIGGER_PARKS_H
#define CANDOR_AGENT_TRIGGER_PARKS_H

#include "base/error.h"

#include <stdint.h>

/* library: an address in the JVM's. 0 or a negative errno: there are no such words, or they may not be written. */
int parks_open(uintptr_t library, struct error *e);
/* Puts back what is still ours. */
void parks_close(void);

#endif
