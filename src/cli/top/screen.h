/* The terminal: a picture on it, keys from it. Between screen_open and screen_close nothing else may print. */
#ifndef CANDOR_CLI_TOP_SCREEN_H
#define CANDOR_CLI_TOP_SCREEN_H

#include "base/error.h"
#include "cli/top/canvas.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* Standard input and output become a screen; colour: unless the terminal has none. 0 or -ENOTTY with e. */
int screen_open(bool colour, struct error *e);
/* Gives the terminal back as it was. */
void screen_close(void);
void screen_size(unsigned *width, unsigned *height);
void screen_show(const struct canvas *c);
/* The next picture is drawn whole, whatever the terminal shows. */
void screen_redraw(void);
/* Waits as poll(2) does. Ctrl-Z gives the terminal back and stops the process; when it goes on, the wait is over. */
void screen_wait(struct pollfd *fds, nfds_t n, int ms);
/* A key that was pressed already, as keys.h has them; false when there is none. */
bool screen_key(uint32_t *key);

#endif
