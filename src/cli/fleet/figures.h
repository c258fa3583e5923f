/* What the views about methods share: their options, and figures with a share and its interval, as cells of a table. */
#ifndef CANDOR_CLI_FLEET_FIGURES_H
#define CANDOR_CLI_FLEET_FIGURES_H

#include "cli/fleet/fleet.h"
#include "cli/fleet/table.h"

/* Adds the options --by, --type and --limit to the query. */
void figures_put_options(const struct fleet *f, struct buffer *query);
/* Returns the unit of the answer's weights, "ns" or "bytes" or another word. The answer owns it. */
const char *figures_unit(const json_t *answer);
/* The columns of a table: one for each label that makes the groups, its name in upper case, and then others. */
enum { FIGURES_LABELS_MAX = 6, FIGURES_TITLE_MAX = 64 };
struct figures_columns {
    struct table_column list[TABLE_COLUMNS_MAX];
    char titles[FIGURES_LABELS_MAX][FIGURES_TITLE_MAX];
    const char *labels[FIGURES_LABELS_MAX]; /* the answer owns them */
    unsigned count, label_count;
};
void figures_make_columns(struct figures_columns *c, const json_t *by, const struct table_column *others, unsigned count);
/* Adds the cells of a group's labels. */
void figures_add_labels(struct table *t, const struct figures_columns *c, const json_t *group);
/* Writes a weight for people, in a unit that fits its size. Returns out. */
char *figures_weight(char *out, size_t size, uint64_t weight, const char *unit);
/* Adds one cell: the share of the weight NAME. */
void figures_add_share(struct table *t, const json_t *row, const char *name);
/* Adds three cells: the weight NAME, its share of the whole, and the share's interval. */
void figures_add(struct table *t, const json_t *row, const char *name, const char *unit);

#endif
