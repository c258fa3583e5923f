/* Draws the model as a picture: two header lines, the books, the table, and a footer. Narrow pictures have fewer columns, and low ones
 * fewer lines. Any size can be drawn. */
#ifndef CANDOR_CLI_TOP_DRAW_H
#define CANDOR_CLI_TOP_DRAW_H

#include "cli/top/canvas.h"
#include "cli/top/model.h"

/* The parts of the picture that are not in the model. */
struct draw_facts {
    int pid;
    const char *name;  /* the JVM's name */
    const char *clock; /* "" = unknown */
    const char *state; /* the reason why no more samples arrive; "" = they still arrive */
    const char *time;  /* the time of day */
    bool foot;         /* whether to list the keys; false in batch mode */
};

/* Draws the picture, and sets in the model how many rows fit. */
void draw(struct canvas *c, struct model *m, const struct draw_facts *facts);
/* Lines that are not rows of the table. A picture needs this many in addition to its rows. */
enum { DRAW_LINES = 5 };

#endif
