#include "compress/pack.h"

#include <errno.h>
#include <stdlib.h>

enum { IN = 1 << 20, OUT = 128 << 10 };

static int pack(const struct codec *codec, void *encoder, uint8_t *out, const uint8_t *bytes, uint64_t size, pack_sink *sink, void *context)
{
    int rc = CODEC_MORE;
    while (rc == CODEC_MORE) {
        size_t n = size < IN ? (size_t)size : IN;
        struct codec_buffers b = {bytes, n, out, OUT};
        rc = codec->encode(encoder, &b, n == size);
        bytes += n - b.in_left;
        size -= n - b.in_left;
        int taken = rc >= 0 && b.out_left < OUT ? sink(context, out, OUT - b.out_left) : 0;
        if (taken)
            return taken;
    }
    return rc < 0 ? rc : 0;
}

int pack_bytes(const struct codec *codec, int level, const uint8_t *bytes, uint64_t size, pack_sink *sink, void *context)
{
    uint8_t *out = malloc(OUT);
    void *encoder = codec->encoder_new(level ? level : codec->level_default);
    int rc = out && encoder ? pack(codec, encoder, out, bytes, size, sink, context) : -ENOMEM;
    codec->encoder_free(encoder);
    free(out);
    return rc;
}

static int to_stream(void *context, const void *bytes, size_t n)
{
    fwrite(bytes, 1, n, context);
    return 0;
}

int pack_to(FILE *out, const struct codec *codec, int level, const uint8_t *bytes, uint64_t size)
{
    return pack_bytes(codec, level, bytes, size, to_stream, out);
}
