#include "server/request/chunks.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum { DIGITS_MAX = 15, EXTRA_MAX = 8 << 10 };

static void fail(struct chunks *c, const char *problem)
{
    c->problem = problem;
}

static void take_size(struct chunks *c, char byte)
{
    unsigned char b = (unsigned char)byte;
    if (isxdigit(b)) {
        if (c->digits++ == DIGITS_MAX)
            fail(c, "the size of a chunk has too many digits");
        c->left = c->left << 4 | (unsigned)(isdigit(b) ? b - '0' : (b | 0x20) - 'a' + 10);
    } else if (!c->digits || (b != '\r' && b != ';')) {
        fail(c, "the size of a chunk is not a hexadecimal number");
    } else {
        c->state = b == ';' ? CHUNKS_EXTENSION : CHUNKS_SIZE_END;
    }
}

/* Reads a byte that is dropped, up to the carriage return. */
static void take_extra(struct chunks *c, char byte, enum chunks_state next)
{
    unsigned char b = (unsigned char)byte;
    if (b == '\r')
        c->state = next;
    else if ((b < ' ' && b != '\t') || b == 0x7f)
        fail(c, "a control character in an extension or a trailer");
}

static void expect(struct chunks *c, char byte, char wanted, enum chunks_state next)
{
    if (byte == wanted)
        c->state = next;
    else
        fail(c, c->state == CHUNKS_DATA_CR ? "a chunk is longer than its size" : "a line of a chunk does not end with CR LF");
}

static void begin_line(struct chunks *c, char byte)
{
    if (byte == '\r')
        c->state = CHUNKS_LAST_LF;
    else if (!isalnum((unsigned char)byte))
        fail(c, "a trailer does not begin with a name");
    else
        c->state = CHUNKS_TRAILER;
}

static void step(struct chunks *c, char byte)
{
    bool extra = c->state == CHUNKS_EXTENSION || c->state >= CHUNKS_LINE;
    if (extra && ++c->extra > EXTRA_MAX)
        fail(c, "extensions and trailers are too long");
    switch (c->state) {
    case CHUNKS_SIZE:
        take_size(c, byte);
        break;
    case CHUNKS_EXTENSION:
        take_extra(c, byte, CHUNKS_SIZE_END);
        break;
    case CHUNKS_SIZE_END:
        expect(c, byte, '\n', c->left ? CHUNKS_DATA : CHUNKS_LINE);
        c->digits = 0;
        break;
    case CHUNKS_DATA_CR:
        expect(c, byte, '\r', CHUNKS_DATA_LF);
        break;
    case CHUNKS_DATA_LF:
        expect(c, byte, '\n', CHUNKS_SIZE);
        break;
    case CHUNKS_LINE:
        begin_line(c, byte);
        break;
    case CHUNKS_TRAILER:
        take_extra(c, byte, CHUNKS_TRAILER_LF);
        break;
    case CHUNKS_TRAILER_LF:
        expect(c, byte, '\n', CHUNKS_LINE);
        break;
    case CHUNKS_LAST_LF:
        expect(c, byte, '\n', CHUNKS_DONE);
        break;
    case CHUNKS_DATA:
    case CHUNKS_DONE:
        break;
    }
}

int chunks_decode(struct chunks *c, char *bytes, size_t n, size_t *used, size_t *content)
{
    size_t at = 0, out = 0;
    while (at < n && c->state != CHUNKS_DONE && !c->problem) {
        if (c->state == CHUNKS_DATA) {
            size_t some = c->left < n - at ? (size_t)c->left : n - at;
            memmove(bytes + out, bytes + at, some);
            at += some;
            out += some;
            c->left -= some;
            c->state = c->left ? CHUNKS_DATA : CHUNKS_DATA_CR;
        } else {
            step(c, bytes[at++]);
        }
    }
    *used = at;
    *content = out;
    return c->problem ? -EINVAL : c->state == CHUNKS_DONE;
}
