/* The handler of SIGSEGV, SIGBUS, SIGFPE and SIGILL behind hot/load.h and hot/thread/turn.h. It comes before the JVM's own
 * handlers, even if libjsig is loaded, and of handlers that a library sets later. It passes on every fault that is neither in
 * one of our loads nor in one of our turns. */
#ifndef CANDOR_AGENT_HOT_FAULT_FAULT_H
#define CANDOR_AGENT_HOT_FAULT_FAULT_H

#include <stdbool.h>

/* Call it after the JVM has installed its handlers (VMInit), and repeatedly from then on, because other code may restore the former
 * handlers or set its own. 0 or a negative errno. */
int fault_install(void);
/* Restores the former handlers. False if another handler comes before one of ours and passes signals on to it: ours then
 * stays in the chain and passes everything on. Call only when no handler of ours can be loading. */
bool fault_remove(void);
/* Between these two calls the handler is certainly installed, for a visit (hot/fault/visit.h). Any thread. */
void fault_hold(void);
void fault_let_go(void);

#endif
