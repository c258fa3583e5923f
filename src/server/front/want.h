/* What a connection wants of the loop, and times that are the same for both versions of HTTP. */
#ifndef CANDOR_SERVER_FRONT_WANT_H
#define CANDOR_SERVER_FRONT_WANT_H

enum {
    IDLE_PATIENCES = 2, /* how long to wait between two requests, as a multiple of the patience */
    STOP_BODY_S = 2,    /* how long to wait for the rest of a body when the server ends */
};

enum want {
    WANT_NOTHING, /* the same as before */
    WANT_READ,
    WANT_WRITE,
    WANT_TURN, /* it could go on at once, but other connections have their turn first */
    WANT_WORK,
    WANT_CLOSE,
    WANT_GO_ON, /* used below the loop only */
};

#endif
