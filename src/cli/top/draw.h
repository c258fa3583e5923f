/* The model as a picture: two header lines, the books, the table, a footer. Narrow pictures have fewer columns, small ones
 * fewer lines; any size can be drawn. */
#ifndef CANDOR_CLI_TOP_DRAW_H
#define CANDOR_CLI_TOP_DRAW_H

#include "cli/top/canvas.h"
#include "cli/top/model.h"

/* The parts of the header that do not come from the recording's view. */
struct draw_facts {
    int pid;
    const char *name;  /* of the JVM */
    const char *clock; /* "" = unknown */
    const char *state; /* why no more samples come; "" = they still come */
    const char *time;  /* of the day */
    bool foot;         /* whether to list the keys: not in batch mode */
};

/* Draws the picture, and sets in the model how many rows fit. */
void draw(struct canvas *c, struct model *m, const struct draw_facts *facts);
/* Lines that are not rows: a picture needs this many in addition to its rows. */
enum { DRAW_LINES = 5 };

#endif
