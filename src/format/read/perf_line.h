/* Parses the two kinds of lines that `perf script` prints, for perf_read.c: heads of samples, and frames. */
#ifndef CANDOR_FORMAT_READ_PERF_LINE_H
#define CANDOR_FORMAT_READ_PERF_LINE_H

#include "format/read/lines.h"

struct perf_head {
    struct span comm, event;
    struct span rest;  /* the text after the event: a frame, fields of a tracepoint, or nothing */
    uint64_t pid, tid; /* pid 0 = missing */
    uint64_t time_ns;  /* time of perf's clock, which starts approximately when the machine starts; 0 = missing */
    uint64_t period;
    bool has_period;
};

struct perf_frame {
    uint64_t address;
    struct span symbol; /* without the offset; empty = missing */
    struct span dso;    /* empty = missing */
};

bool perf_line_head(struct span line, struct perf_head *head);
bool perf_line_frame(struct span line, struct perf_frame *frame);

#endif
