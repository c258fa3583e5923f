/* One look at the recording, shared by the terminal and the batch mode. */
#ifndef CANDOR_CLI_TOP_LOOK_H
#define CANDOR_CLI_TOP_LOOK_H

#include "cli/top/draw.h"
#include "cli/top/source.h"

struct look {
    struct source *source;
    struct model *model;
    uint64_t refresh_ns;
    unsigned long long count; /* pictures to print, 0 = until told (--batch) */
    uint32_t rows;            /* of a picture, 0 = all (--batch) */
    bool colour;
    struct draw_facts facts;
    uint64_t news_ns; /* of our clock: when the recording last grew */
    bool over;        /* nothing comes any more; facts.state says why */
    char state[160], time[16];
};

void look_init(struct look *l, struct source *source, struct model *model);
/* Reads new data; checks whether the JVM is still there. 0 or a negative code with e. */
int look_read(struct look *l, struct error *e);
/* Brings the model up to date with what was read. 0 or a negative code with e. */
int look_show(struct look *l, struct error *e);

#endif
