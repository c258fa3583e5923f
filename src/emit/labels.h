/* What a recording is called: the labels of a query "service=..&host=..", which the daemon's spool keeps beside each recording. */
#ifndef CANDOR_EMIT_LABELS_H
#define CANDOR_EMIT_LABELS_H

#include "base/error.h"

#include <stdint.h>

enum { EMIT_LABELS_MAX = 16 };

struct emit_labels {
    char *text; /* what the others point into */
    const char *names[EMIT_LABELS_MAX], *values[EMIT_LABELS_MAX];
    uint32_t count;
};

/* 0 or a negative code with e. Labels beyond EMIT_LABELS_MAX are an error. */
int emit_labels_read(struct emit_labels *l, const char *query, struct error *e);
void emit_labels_free(struct emit_labels *l);

/* The names under which OTLP and Pyroscope know a label; `room` is for one that has to be changed. */
const char *emit_label_otlp(const char *name);
const char *emit_label_pyroscope(const char *name, char room[64]);

#endif
