/* The two kinds of lines that `perf script` prints, taken apart; the inside of perf_read.c. Texts are borrowed from the line. */
#ifndef CANDOR_FORMAT_READ_PERF_LINE_H
#define CANDOR_FORMAT_READ_PERF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_text {
    const char *bytes;
    size_t len;
};

struct perf_head {
    struct perf_text comm, event;
    struct perf_text rest;   /* behind the event: a frame, fields of a tracepoint, or nothing */
    uint64_t pid, tid;       /* pid 0 = not said */
    uint64_t time_ns;        /* of perf's clock, which begins about when the machine does; 0 = not said */
    uint64_t period;
    bool has_period;
};

struct perf_frame {
    uint64_t address;
    struct perf_text symbol; /* without the offset; empty = not said */
    struct perf_text dso;    /* empty = not said */
};

bool perf_line_head(struct perf_text line, struct perf_head *head);
bool perf_line_frame(struct perf_text line, struct perf_frame *frame);
/* Takes the next line off the text, without its end; false at the end. */
bool perf_line_next(struct perf_text *text, struct perf_text *line);
/* Without blanks on both sides. */
struct perf_text perf_line_trim(struct perf_text t);

#endif
