/* Converts a message in JSON, as protobuf maps it, to protocol buffers, so that each message needs only one reader for both encodings.
 * Names may be in camel case, or as in the interface definitions. Unknown names are ignored, as protobuf's readers do. */
#ifndef CANDOR_SERVER_PUSH_JSON_PB_H
#define CANDOR_SERVER_PUSH_JSON_PB_H

#include "base/buffer.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum json_pb_kind {
    JSON_PB_TEXT,
    JSON_PB_BASE64,
    JSON_PB_HEX, /* bytes in hexadecimal, as OTLP writes ids */
    JSON_PB_INT,
    JSON_PB_FIXED64,
    JSON_PB_DOUBLE,
    JSON_PB_BOOL,
    JSON_PB_MESSAGE
};

struct json_pb_field {
    const char *name; /* camel case; NULL ends the table */
    uint32_t number;
    enum json_pb_kind kind;
    const struct json_pb_field *of; /* for a message: its fields */
};

enum { JSON_PB_MAX = 16 << 20 }; /* bytes of JSON; a parsed message takes many times as much memory */

/* Appends the message to out. Returns 0, -ENOMEM, or -EINVAL or -EFBIG with a message in e. */
int json_pb_write(struct buffer *out, const struct json_pb_field *fields, const char *text, size_t n, struct error *e);

#endif
