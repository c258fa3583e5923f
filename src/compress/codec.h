/* Reads and writes compression formats through one interface. Both directions are streams. The caller's buffers limit how much is moved at
 * once. A format's own memory is limited, too (windows larger than CODEC_WINDOW_LOG_MAX are refused). A coder belongs to one thread. */
#ifndef CANDOR_COMPRESS_CODEC_H
#define CANDOR_COMPRESS_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CODEC_MORE = 0, /* needs more input, or more room for output */
    CODEC_END = 1,  /* the frame is complete; more frames may follow, each for a new coder */
};

enum {
    CODEC_WINDOW_LOG_MAX = 27,
    CODEC_FIRST_BYTES = 6
}; /* 128 MiB, as zstd --long has; the number of bytes that suffices to recognize
                                                            * any format */

/* The rest of the input and of the room for output. A coder moves the pointers on. */
struct codec_buffers {
    const uint8_t *in;
    size_t in_left;
    uint8_t *out;
    size_t out_left;
};

struct codec {
    const char *name;      /* for example "zstd" */
    const char *extension; /* for example ".zst" */
    int level_min, level_max, level_default;
    const int *shown;                               /* the levels that a comparison shows; 0 ends the list */
    bool (*begins)(const uint8_t *bytes, size_t n); /* whether a frame of this format begins with these bytes */
    /* decoder_new and encoder_new return NULL if there is no memory. */
    void *(*decoder_new)(void);
    void *(*encoder_new)(int level);
    /* Returns CODEC_MORE, CODEC_END, -EBADMSG (the bytes are damaged) or -ENOMEM. */
    int (*decode)(void *decoder, struct codec_buffers *b);
    /* Returns the same codes. last: the bytes in b are the last of the input; CODEC_END is returned when everything is written. */
    int (*encode)(void *encoder, struct codec_buffers *b, bool last);
    void (*decoder_free)(void *decoder);
    void (*encoder_free)(void *encoder);
};

/* All formats that this program was built with. NULL ends the list. */
extern const struct codec *const codecs[];

/* These functions find a format by the first bytes of a file, by a name ("zstd"), or by the end of a file's name ("app.jfr.zst"). They
 * return NULL if there is none. */
const struct codec *codec_by_content(const uint8_t *bytes, size_t n);
const struct codec *codec_by_name(const char *name, size_t len);
const struct codec *codec_by_path(const char *path);

extern const struct codec codec_gzip, codec_lz4, codec_zstd, codec_xz;

#endif
