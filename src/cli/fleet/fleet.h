/* The views of `candor fleet`: each asks the server one question, and prints the answer as a table, or its JSON as it is.
 *
 * To add a view: write fleet/NAME.c with a `const struct fleet_view fleet_NAME`, declare it below, and add it to the table in
 * commands/cmd_fleet.c. An option that only some views have is in the table of options there, and in the `options` of these views. */
#ifndef CANDOR_CLI_FLEET_FLEET_H
#define CANDOR_CLI_FLEET_FLEET_H

#include "base/buffer.h"
#include "cli/cli.h"
#include "cli/fleet/table.h"

#include <jansson.h>

struct fleet {
    const struct cli_args *args;
    const char *address; /* http://HOST:PORT */
    char *const *words;  /* the operands after the address */
    int word_count;
};

struct fleet_view {
    const char *name;    /* "services" */
    const char *words;   /* the operands after the address, such as "[TEXT]"; "" = none */
    const char *summary; /* one line, lower case, no full stop */
    const char *options; /* the options that not all views have, separated by blanks; "" = none */
    int words_min, words_max;
    int (*run)(const struct fleet *f); /* returns an exit status */
};

extern const struct fleet_view fleet_services;  /* services.c */
extern const struct fleet_view fleet_functions; /* functions.c */
extern const struct fleet_view fleet_top;       /* top.c */
extern const struct fleet_view fleet_endpoints; /* endpoints.c */
extern const struct fleet_view fleet_spans;     /* spans.c */
extern const struct fleet_view fleet_changes;   /* changes.c */
extern const struct fleet_view fleet_findings;  /* findings.c */
extern const struct fleet_view fleet_metrics;   /* metrics.c */
extern const struct fleet_view fleet_search;    /* search.c */
extern const struct fleet_view fleet_alerts;    /* alerts.c */
extern const struct fleet_view fleet_profile;   /* profile.c */

enum { FLEET_QUERY_MAX = 1 << 16 };

/* ---- the question ---- */

/* Begins a query with a path such as "/v1/services", and adds the options that all views have: --select, --from, --until. Add further
 * parameters with fleet_put. */
void fleet_begin(const struct fleet *f, struct buffer *query, const char *path);
void fleet_put(struct buffer *query, const char *name, const char *value);
/* Adds an option of the view as the parameter of the same name, if it is given. */
void fleet_put_option(const struct fleet *f, struct buffer *query, const char *name);
/* Asks the server, prints its answer, and frees the query. With --json it prints the answer as it is; otherwise `print` does. If the answer
 * is not complete, it prints what is missing to standard error. Returns an exit status. */
typedef int fleet_print(const struct fleet *f, const json_t *answer); /* returns an exit status */
int fleet_show(const struct fleet *f, struct buffer *query, fleet_print *print);
/* Does the same, and then lets `check` judge the answer, also with --json. */
int fleet_show_and_check(const struct fleet *f, struct buffer *query, fleet_print *print, fleet_print *check);
/* Sends the JSON to a path of the server, and frees both. answer: receives the server's answer, which the caller frees; NULL = nobody wants
 * it. Returns an exit status, after it has printed why the server refuses it. */
int fleet_tell(const struct fleet *f, struct buffer *path, json_t *json, json_t **answer);

/* ---- the answer ---- */

/* Returns the member's text, or "" if there is none. The object owns it. */
const char *fleet_text(const json_t *object, const char *name);
/* Writes a time in seconds since the epoch: "2026-11-22T16:41:00Z". Returns out. */
enum { FLEET_TIME_MAX = 32 };
const char *fleet_time(char out[FLEET_TIME_MAX], json_int_t seconds);
/* Prints a table and frees it. Returns an exit status. */
int fleet_table(struct table *t);

#endif
