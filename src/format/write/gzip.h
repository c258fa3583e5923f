/* Writes a gzip file to a stream as its bytes arrive. Write errors stay in the stream; the caller checks ferror. */
#ifndef CANDOR_FORMAT_WRITE_GZIP_H
#define CANDOR_FORMAT_WRITE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct gzip {
    FILE *out;
    void *encoder; /* NULL = write the bytes unchanged */
    bool failed;   /* out of memory */
};

int gzip_open(struct gzip *g, FILE *out);        /* 0 or -ENOMEM */
void gzip_open_plain(struct gzip *g, FILE *out); /* for output without compression */
void gzip_put(struct gzip *g, const void *bytes, size_t size);
int gzip_close(struct gzip *g); /* returns 0, or -ENOMEM if anything before has failed */

#endif
