/* Alerts: a thread evaluates the rules of the file of --alerts, and one for each target sends what changed.
 *
 *   alerts_start -> [ alerts_answer, alerts_preview, alerts_test, alerts_put_metrics ]* -> alerts_stop
 *
 * The evaluating thread (watch.c) never waits for a target. It is the only one that replaces the rules. */
#ifndef CANDOR_SERVER_ALERTS_ALERTS_H
#define CANDOR_SERVER_ALERTS_ALERTS_H

#include "server/request/http.h"

struct alerts;

/* Reads the file, and the alerts of an earlier run, and starts the threads. tell: prints a line. Returns 0, or a code with a message in
 * e. */
int alerts_start(struct alerts **out, struct server *server, void (*tell)(const char *text), struct error *e);
/* Ends the threads. a may be NULL. */
void alerts_stop(struct alerts *a);

/* GET /v1/alerts, GET /v1/alerts/preview, POST /v1/alerts/NAME/test. alerts_test_path returns whether the path is that of a test. */
void alerts_answer(struct http *h);
void alerts_preview(struct http *h);
bool alerts_test_path(const char *path);
void alerts_test(struct http *h);
/* Writes the metrics of alerts in the text format of Prometheus, if there are rules. */
void alerts_put_metrics(FILE *out, struct server *server);

#endif
