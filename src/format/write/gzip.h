/* Writes a gzip file to a stream as its bytes come. Write errors stay in the stream: ask ferror. */
#ifndef CANDOR_FORMAT_WRITE_GZIP_H
#define CANDOR_FORMAT_WRITE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct gzip {
    FILE *out;
    void *encoder; /* NULL: the bytes as they are */
    bool failed;   /* out of memory */
};

int gzip_open(struct gzip *g, FILE *out);        /* 0 or -ENOMEM */
void gzip_open_plain(struct gzip *g, FILE *out); /* for a reader who wants the bytes unpacked */
void gzip_put(struct gzip *g, const void *bytes, size_t size);
int gzip_close(struct gzip *g); /* 0, or -ENOMEM when anything before had failed */

#endif
