/* Ends the server, or makes it read its configuration again. SIGTERM or SIGINT requests the end, and the server ends in any state. Running
 * requests see the flag `asked`, and get some seconds. After that, or at a second signal, the process ends without them. Nothing is lost,
 * because everything that was acknowledged is on the disk. SIGHUP, or stop_reload, requests that the configuration is read again.
 *
 *   stop_start -> stop_wait, until it returns STOP_END -> stop_end */
#ifndef CANDOR_SERVER_REQUEST_STOP_H
#define CANDOR_SERVER_REQUEST_STOP_H

#include "base/error.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { STOP_PATIENCE_S = 5 };

struct stop {
    atomic_bool asked;  /* set by its thread, read by all; it orders no other memory access */
    atomic_bool reload; /* the configuration must be read again; it orders no other memory access */
    sem_t wake;
    pthread_t thread;
    void (*tell)(const char *text);
};

/* Starts the thread. Call it before any other thread begins, because all threads must block the signals. tell: prints a line. */
int stop_start(struct stop *s, void (*tell)(const char *text), struct error *e);
/* Waits for at most this number of seconds, or until something is requested. */
enum stop_request { STOP_NOTHING, STOP_RELOAD, STOP_END };
enum stop_request stop_wait(struct stop *s, unsigned seconds);
/* Requests that the configuration is read again. Any thread may call it. */
void stop_reload(struct stop *s);
/* Ends the handling of signals. Call it when everything is done; signals have no effect any more. */
void stop_end(struct stop *s);

#endif
