/* Sends the server's metrics to Prometheus, or to another receiver of remote write, all the time (--remote-write).
 *
 * One thread collects, at intervals, what a scrape of /metrics and of /v1/metrics/prometheus would get, and puts a request into a queue;
 * another one sends. If the receiver does not take a request now, it is sent again, later and later. If the queue is full, the oldest
 * request is dropped and counted. Nothing else on the server waits for either thread. */
#ifndef CANDOR_SERVER_REMOTE_REMOTE_WRITE_H
#define CANDOR_SERVER_REMOTE_REMOTE_WRITE_H

#include "server/request/context.h"

#include <stdio.h>

struct remote_write;

/* Starts the threads. port: where the server listens, for the label `instance`. tell: reports a line to the operator. Returns 0, or a code
 * with a message in e. */
int remote_write_start(struct remote_write **out, struct server *s, unsigned port, void (*tell)(const char *text), struct error *e);
/* Ends the threads; waiting requests are not sent. r may be NULL. */
void remote_write_stop(struct remote_write *r);
/* Checks options, and reports what is wrong with them. */
int remote_write_check(const struct server_options *o, struct error *e);

#endif
