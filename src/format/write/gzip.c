#include "format/write/gzip.h"

#include "compress/codec.h"

#include <errno.h>
#include <stdbool.h>

int gzip_open(struct gzip *g, FILE *out)
{
    *g = (struct gzip){.out = out, .encoder = codec_gzip.encoder_new(codec_gzip.level_default)};
    return g->encoder ? 0 : -ENOMEM;
}

void gzip_open_plain(struct gzip *g, FILE *out)
{
    *g = (struct gzip){.out = out};
}

void gzip_fail(struct gzip *g, int code)
{
    g->failed = g->failed ? g->failed : code;
}

static void push(struct gzip *g, const void *bytes, size_t size, bool last)
{
    uint8_t room[1 << 15];
    struct codec_buffers b = {.in = bytes, .in_left = size};
    int rc = CODEC_MORE;
    while (rc == CODEC_MORE && (b.in_left || last)) {
        b.out = room;
        b.out_left = sizeof room;
        rc = codec_gzip.encode(g->encoder, &b, last);
        fwrite(room, 1, sizeof room - b.out_left, g->out);
    }
    gzip_fail(g, rc < 0 ? -ENOMEM : 0);
}

void gzip_put(struct gzip *g, const void *bytes, size_t size)
{
    if (g->encoder)
        push(g, bytes, size, false);
    else
        fwrite(bytes, 1, size, g->out);
}

int gzip_close(struct gzip *g)
{
    if (g->encoder) {
        push(g, NULL, 0, true);
        codec_gzip.encoder_free(g->encoder);
    }
    return g->failed;
}
