/* Writes a gzip file to a stream as its bytes come. Write errors stay in the stream: ask ferror. */
#ifndef CANDOR_FORMAT_WRITE_GZIP_H
#define CANDOR_FORMAT_WRITE_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct gzip {
    FILE *out;
    void *encoder; /* NULL: the bytes as they are */
    int failed;    /* 0, or the first code: -ENOMEM, or what a writer says that could not make the bytes */
};

int gzip_open(struct gzip *g, FILE *out);        /* 0 or -ENOMEM */
void gzip_open_plain(struct gzip *g, FILE *out); /* for a reader who wants the bytes unpacked */
void gzip_put(struct gzip *g, const void *bytes, size_t size);
void gzip_fail(struct gzip *g, int code); /* code 0: nothing */
int gzip_close(struct gzip *g);           /* 0, or `failed` */

#endif
