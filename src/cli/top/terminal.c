#include "cli/top/terminal.h"

#include "cli/interrupt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

static struct termios modes;
static char farewell[256]; /* the text that makes the terminal show text again as before */
static size_t farewell_len;

/* ---- the terminal's capabilities ---- */

static const char *capability(const char *name)
{
    const char *text = tigetstr(name);
    return text && text != (const char *)-1 ? text : NULL;
}

int terminal_check(struct error *e)
{
    const char *term = getenv("TERM");
    int found;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return error_set(e, -ENOTTY, "standard input and output are not a terminal; use --batch for plain text");
    bool can = setupterm(NULL, STDOUT_FILENO, &found) == OK;
    if (can) {
        can = capability("cup") != NULL; /* a terminal without this capability cannot place its cursor */
        del_curterm(cur_term);
    }
    return can ? 0
               : error_set(e, -ENOTTY, "cannot draw on a terminal of type '%.40s'; set TERM, or use --batch for plain text",
                           term ? term : "");
}

/* ---- restoring the terminal ---- */

/* Appends a capability without its padding marks, which say how much time an old terminal needs: "\E[m$<2>". */
static void add(const char *text)
{
    while (text && *text && farewell_len < sizeof farewell) {
        const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
        if (end)
            text = end + 1;
        else
            farewell[farewell_len++] = *text++;
    }
}

/* Composes the text that restores the terminal: plain text in its own colors, its keys as before, a visible cursor on the last line, and
 * the previous screen. */
static void compose(int rows)
{
    static const char *const last[] = {"el", "cnorm", "rmcup"};
    const char *place = capability("cup");
    farewell_len = 0;
    add(capability("op"));
    add(capability("sgr0"));
    add(capability("rmkx"));
    add(place ? tparm(place, (long)rows - 1, 0L) : NULL);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        add(capability(last[i]));
}

static void give_back(void)
{
    ssize_t n = write(STDOUT_FILENO, farewell, farewell_len);
    (void)n; /* a failure cannot be reported any more */
    tcsetattr(STDOUT_FILENO, TCSANOW, &modes);
}

void terminal_hold(void)
{
    int found;
    if (tcgetattr(STDOUT_FILENO, &modes) || setupterm(NULL, STDOUT_FILENO, &found) != OK)
        return;
    int rows = tigetnum("lines");
    compose(rows > 0 ? rows : 24);
    del_curterm(cur_term);
    interrupt_before_death(give_back);
}

void terminal_let_go(void)
{
    interrupt_before_death(NULL);
}
