/* Limits how much work a client may cause on an HTTP/2 connection without a request that is answered. Each frame that costs work and
 * requests nothing takes tokens: a reset of a stream, a mistake for which the server resets one, a stream beyond the limit, a ping,
 * settings, priorities, continued headers, empty data. Time and answered requests give tokens back. If a client's tokens are used up, its
 * connection is closed. */
#ifndef CANDOR_SERVER_FRONT_FLOOD_H
#define CANDOR_SERVER_FRONT_FLOOD_H

#include <stdbool.h>
#include <stdint.h>

enum {
    FLOOD_TOKENS = 1000, /* the most, and the number at first */
    FLOOD_PER_SECOND = 50,
    FLOOD_PER_ANSWER = 5, /* clients of gRPC may send a few pings with each call */
    FLOOD_FRAME = 1,      /* the price of a frame */
    FLOOD_RESET = 5,      /* the price of a stream that the client resets, or that the server resets because the client made a mistake */
};

struct flood {
    uint32_t tokens;
    uint64_t filled_ns; /* when time last gave tokens */
};

void flood_init(struct flood *f, uint64_t now_ns);
/* Takes tokens. Returns false if there are not enough. */
bool flood_pay(struct flood *f, uint32_t price, uint64_t now_ns);
/* Gives tokens back for an answered request. */
void flood_answered(struct flood *f);

#endif
