/* The alerts of all rules, and their file, alerts.json in the server's data. The file is written as a whole and synced, so that after a
 * crash it has the state of the last evaluation or of the one before. The caller locks. */
#ifndef CANDOR_SERVER_ALERTS_TABLE_H
#define CANDOR_SERVER_ALERTS_TABLE_H

#include "server/alerts/verdict.h"

#include <jansson.h>

struct alert_table {
    struct alert *list; /* sorted by rule, then by value */
    uint32_t count, cap;
};

void table_deinit(struct alert_table *t);
/* Returns the alert of a rule and a value (NULL = the rule has no `each`), which it adds if it is new. The result is valid until the next
 * call. Returns NULL if there is no memory. */
struct alert *table_get(struct alert_table *t, const char *rule, const char *value);
struct alert *table_find(const struct alert_table *t, const char *rule, const char *value);
/* Returns the place of the rule's first alert. The others follow. */
uint32_t table_first(const struct alert_table *t, const char *rule);
/* Fits the table to new rules: drops the alerts of rules that are gone, or that changed their label `each`, and finds each target's
 * memory by its name. A new target does not get alerts that are over. */
void table_fit(struct alert_table *t, const struct alert_rules *old, const struct alert_rules *now);

/* Writes the table as JSON, which the caller frees. rules: for the names of targets. Returns 0 or -ENOMEM. */
int table_write(const struct alert_table *t, const struct alert_rules *rules, char **bytes, size_t *n);
/* Reads the file that table_write has made. No file is an empty table. Returns 0, or a code with a message in e; then the table is
 * empty. */
int table_read(struct alert_table *t, const struct alert_rules *rules, const char *path, struct error *e);
/* Reads a table from the JSON object that table_write made. Returns 0, or -ENOMEM or -EBADMSG; then the table is empty. */
int table_parse(struct alert_table *t, const struct alert_rules *rules, const json_t *json);

#endif
