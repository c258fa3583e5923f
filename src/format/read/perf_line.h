/* The two kinds of lines that `perf script` prints, taken apart; the inside of perf_read.c. */
#ifndef CANDOR_FORMAT_READ_PERF_LINE_H
#define CANDOR_FORMAT_READ_PERF_LINE_H

#include "format/read/lines.h"

struct perf_head {
    struct span comm, event;
    struct span rest;  /* behind the event: a frame, fields of a tracepoint, or nothing */
    uint64_t pid, tid; /* pid 0 = not said */
    uint64_t time_ns;  /* of perf's clock, which begins about when the machine does; 0 = not said */
    uint64_t period;
    bool has_period;
};

struct perf_frame {
    uint64_t address;
    struct span symbol; /* without the offset; empty = not said */
    struct span dso;    /* empty = not said */
};

bool perf_line_head(struct span line, struct perf_head *head);
bool perf_line_frame(struct span line, struct perf_frame *frame);

#endif
