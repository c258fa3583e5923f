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
    const char *state; /* why nothing comes any more; "" = it goes on */
    const char *time;  /* of the day */
    bool foot;         /* with keys: there is somebody to press them */
};

/* Draws the picture. Also sets in the model for how many rows there is room. */
void draw(struct canvas *c, struct model *m, const struct draw_facts *facts);
/* The lines that are not rows: a picture of so many more holds them all. */
enum { DRAW_LINES = 5 };

#endif
