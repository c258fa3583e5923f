#include "agent/hot/unwind/cursor.h"

#include "agent/hot/load.h"

enum { LEB_BYTES_MAX = 10 };

uint64_t cursor_take(struct cursor *c, unsigned bytes)
{
    uint64_t v = 0;
    uint32_t w = 0;
    uint16_t h = 0;
    uint8_t b = 0;
    c->ok = c->ok && c->at <= c->end && c->end - c->at >= bytes;
    if (!c->ok)
        return 0;
    switch (bytes) {
    case 8:
        c->ok = load_u64(c->at, &v);
        break;
    case 4:
        c->ok = load_u32(c->at, &w);
        v = w;
        break;
    case 2:
        c->ok = load_u16(c->at, &h);
        v = h;
        break;
    default:
        c->ok = load_u8(c->at, &b);
        v = b;
        break;
    }
    c->at += bytes;
    return c->ok ? v : 0;
}

uint64_t cursor_leb(struct cursor *c, bool is_signed)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < LEB_BYTES_MAX; i++) {
        uint8_t b = (uint8_t)cursor_take(c, 1);
        v |= (uint64_t)(b & 0x7f) << 7 * i;
        if (b & 0x80)
            continue;
        if (is_signed && b & 0x40 && i < LEB_BYTES_MAX - 1)
            v |= ~(uint64_t)0 << 7 * (i + 1);
        return v;
    }
    c->ok = false;
    return 0;
}

uint64_t cursor_uleb(struct cursor *c)
{
    return cursor_leb(c, false);
}

int64_t cursor_sleb(struct cursor *c)
{
    return (int64_t)cursor_leb(c, true);
}

void cursor_skip(struct cursor *c, uint64_t bytes)
{
    c->ok = c->ok && c->at <= c->end && bytes <= c->end - c->at;
    if (c->ok)
        c->at += bytes;
}
