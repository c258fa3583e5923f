#include "compress/codec.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

/* Limit for the decoder's memory. Data that was packed at level 9 needs 65 MiB. */
#define DECODER_MEMORY ((uint64_t)256 << 20)

static const int shown[] = {6, 0};

static bool begins(const uint8_t *bytes, size_t n)
{
    return n >= 6 && !memcmp(bytes,
                             "\xfd"
                             "7zXZ",
                             6);
}

static void *ready(lzma_stream *s, lzma_ret rc)
{
    if (rc == LZMA_OK)
        return s;
    lzma_end(s);
    free(s);
    return NULL;
}

static void *decoder_new(void)
{
    lzma_stream *s = calloc(1, sizeof *s);
    return s ? ready(s, lzma_stream_decoder(s, DECODER_MEMORY, 0)) : NULL;
}

static void *encoder_new(int level)
{
    lzma_stream *s = calloc(1, sizeof *s);
    return s ? ready(s, lzma_easy_encoder(s, (uint32_t)level, LZMA_CHECK_CRC64)) : NULL;
}

static int run(lzma_stream *s, struct codec_buffers *b, lzma_action action)
{
    s->next_in = b->in;
    s->avail_in = b->in_left;
    s->next_out = b->out;
    s->avail_out = b->out_left;
    lzma_ret rc = lzma_code(s, action);
    b->in = s->next_in;
    b->in_left = s->avail_in;
    b->out = s->next_out;
    b->out_left = s->avail_out;
    if (rc == LZMA_STREAM_END)
        return CODEC_END;
    return rc == LZMA_OK || rc == LZMA_BUF_ERROR ? CODEC_MORE : rc == LZMA_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static int decode(void *decoder, struct codec_buffers *b)
{
    return run(decoder, b, LZMA_RUN);
}

static int encode(void *encoder, struct codec_buffers *b, bool last)
{
    return run(encoder, b, last ? LZMA_FINISH : LZMA_RUN);
}

static void coder_free(void *coder)
{
    if (coder)
        lzma_end(coder);
    free(coder);
}

const struct codec codec_xz = {
    .name = "xz",
    .extension = ".xz",
    .level_min = 1,
    .level_max = 9,
    .level_default = 6,
    .shown = shown,
    .begins = begins,
    .decoder_new = decoder_new,
    .encoder_new = encoder_new,
    .decode = decode,
    .encode = encode,
    .decoder_free = coder_free,
    .encoder_free = coder_free,
};
