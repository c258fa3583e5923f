/* The check of --gate, for `candor diff` and `candor fleet changes`: whether a method has certainly grown by more than a threshold.
 *
 *   struct gate g = {.threshold = ...};  [ gate_note ]*  gate_end */
#ifndef CANDOR_CLI_GATE_H
#define CANDOR_CLI_GATE_H

#include <stdint.h>

enum { GATE_NAME_MAX = 512 };

struct gate {
    double threshold;          /* a share */
    uint32_t grown;            /* methods beyond it */
    double most;               /* the certain growth of the worst of them */
    char worst[GATE_NAME_MAX]; /* its name */
};

/* Notes how much a method has grown at least: the lower end of the interval of its growth. Each method is noted once. */
void gate_note(struct gate *g, const char *method, double growth);
/* Returns a status, after it has said on standard error which method has grown most. unit: of a hundredth; hint: a text for the end of the
 * message. */
int gate_end(const struct gate *g, const char *unit, const char *hint);

#endif
