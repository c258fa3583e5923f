/* How the server ends: SIGTERM or SIGINT request it, and it ends in any state. Running requests are notified (`asked`), and get
 * some seconds; then, or at a second signal, the process ends without them. Nothing is lost, because everything acknowledged is
 * on the disk.
 *
 *   stop_start -> stop_wait, until it says that it is time -> stop_end */
#ifndef CANDOR_SERVER_REQUEST_STOP_H
#define CANDOR_SERVER_REQUEST_STOP_H

#include "base/error.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { STOP_PATIENCE_S = 5 };

struct stop {
    atomic_bool asked; /* set by its thread, read by all: nothing else goes with it */
    sem_t wake;
    pthread_t thread;
    void (*tell)(const char *text);
};

/* Call it before any other thread begins, because all threads must have the signals blocked. tell: prints a line. */
int stop_start(struct stop *s, void (*tell)(const char *text), struct error *e);
/* Waits for at most so many seconds. True: a signal asked the server to end. */
bool stop_wait(struct stop *s, unsigned seconds);
/* Call it when all is done: signals have no effect any more. */
void stop_end(struct stop *s);

#endif
