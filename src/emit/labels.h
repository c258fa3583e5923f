/* Reads the labels of a recording from a query "service=..&host=..", which the daemon's spool keeps with each recording. */
#ifndef CANDOR_EMIT_LABELS_H
#define CANDOR_EMIT_LABELS_H

#include "base/error.h"

#include <stdint.h>

enum { EMIT_LABELS_MAX = 16 };

struct emit_labels {
    char *text; /* the memory into which the other members point */
    const char *names[EMIT_LABELS_MAX], *values[EMIT_LABELS_MAX];
    uint32_t count;
};

/* Reads the labels. More than EMIT_LABELS_MAX are an error. Returns 0 or a negative code with a message in e. */
int emit_labels_read(struct emit_labels *l, const char *query, struct error *e);
void emit_labels_free(struct emit_labels *l);

/* These functions return the name of a label in OTLP and in Pyroscope. `room`: memory for a name that has to be changed. */
const char *emit_label_otlp(const char *name);
const char *emit_label_pyroscope(const char *name, char room[64]);

#endif
