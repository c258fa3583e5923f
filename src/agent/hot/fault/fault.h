/* The handler of SIGSEGV, SIGBUS, SIGFPE and SIGILL that hot/load.h and hot/thread/turn.h need. It runs before the JVM's own handlers, even
 * if libjsig is loaded, and before handlers that a library sets later. It passes on every fault that is neither in one of our loads nor in
 * one of our turns. */
#ifndef CANDOR_AGENT_HOT_FAULT_FAULT_H
#define CANDOR_AGENT_HOT_FAULT_FAULT_H

#include <stdbool.h>

/* Call it after the JVM has installed its handlers (VMInit), and repeatedly from then on, because other code may restore the former
 * handlers or set its own. Returns 0 or a negative errno. */
int fault_install(void);
/* Restores the former handlers. Returns false if another handler comes before one of ours and passes signals on to it: ours then stays in
 * the chain and passes everything on. Call it only when no handler of ours can be in a load. */
bool fault_remove(void);
/* Between these two calls the handler is certainly installed, for a visit (hot/fault/visit.h). Any thread may call them. */
void fault_hold(void);
void fault_let_go(void);

#endif
