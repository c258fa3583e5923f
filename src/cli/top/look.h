/* Reads the recording and updates the model, for the terminal and the batch mode. */
#ifndef CANDOR_CLI_TOP_LOOK_H
#define CANDOR_CLI_TOP_LOOK_H

#include "cli/top/draw.h"
#include "cli/top/source.h"

struct look {
    struct source *source;
    struct model *model;
    uint64_t refresh_ns;
    unsigned long long count; /* for --batch: pictures to print, 0 = no limit */
    uint32_t rows;            /* for --batch: rows of a picture, 0 = all */
    bool colour;
    struct draw_facts facts;
    uint64_t news_ns; /* time by the monotonic clock when the recording last grew */
    bool over;        /* no more data will come; facts.state says why */
    char state[160], time[16];
};

void look_init(struct look *l, struct source *source, struct model *model);
/* Reads new data, and checks whether the JVM is still running. Returns 0 or a negative code with e. */
int look_read(struct look *l, struct error *e);
/* Updates the model with the data that was read. Returns 0 or a negative code with e. */
int look_show(struct look *l, struct error *e);

#endif
