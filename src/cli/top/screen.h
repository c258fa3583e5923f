/* Shows pictures on the terminal, and reads keys from it. Between screen_open and screen_close nothing else may print. */
#ifndef CANDOR_CLI_TOP_SCREEN_H
#define CANDOR_CLI_TOP_SCREEN_H

#include "base/error.h"
#include "cli/top/canvas.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* Takes over standard input and output. colour: use colors if the terminal has them. Returns 0, or -ENOTTY with e. */
int screen_open(bool colour, struct error *e);
/* Restores the terminal. */
void screen_close(void);
void screen_size(unsigned *width, unsigned *height);
void screen_show(const struct canvas *c);
/* Draws the next picture completely, whatever the terminal shows. */
void screen_redraw(void);
/* Waits as poll(2) does. Ctrl-Z restores the terminal and stops the process; when the process continues, the function returns. */
void screen_wait(struct pollfd *fds, nfds_t n, int ms);
/* Reads a key that was already pressed, as keys.h defines keys. Returns false if there is none. */
bool screen_key(uint32_t *key);

#endif
