/* Writes a gzip file to a stream as its bytes arrive. Write errors stay in the stream; the caller checks ferror. */
#ifndef CANDOR_FORMAT_WRITE_GZIP_H
#define CANDOR_FORMAT_WRITE_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct gzip {
    FILE *out;
    void *encoder; /* NULL = write the bytes unchanged */
    int failed;    /* 0, or the first error: -ENOMEM, or the code of a writer that could not make the bytes */
};

int gzip_open(struct gzip *g, FILE *out);        /* 0 or -ENOMEM */
void gzip_open_plain(struct gzip *g, FILE *out); /* for output without compression */
void gzip_put(struct gzip *g, const void *bytes, size_t size);
void gzip_fail(struct gzip *g, int code); /* notes an error; 0 is none */
int gzip_close(struct gzip *g);           /* returns 0, or `failed` */

#endif
