#include "cli/top/screen.h"

#include "cli/top/keys.h"
#include "cli/top/suspend.h"
#include "cli/top/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

enum { ESCAPE_MS = 50 }; /* how long to wait for the rest of a key after an escape character */

static SCREEN *screen;
static attr_t attributes[CANVAS_STYLES];
static short pairs[CANVAS_STYLES];

static void choose_styles(bool colour)
{
    static const attr_t plain[CANVAS_STYLES] = {
        [CANVAS_STRONG] = A_BOLD, [CANVAS_FAINT] = A_DIM,    [CANVAS_TITLE] = A_REVERSE, [CANVAS_SELECTED] = A_REVERSE,
        [CANVAS_SURE] = A_BOLD,   [CANVAS_WARNING] = A_BOLD, [CANVAS_ERROR] = A_REVERSE,
    };
    static const short colours[CANVAS_STYLES] = {
        [CANVAS_SURE] = COLOR_CYAN,
        [CANVAS_UNSURE] = COLOR_CYAN,
        [CANVAS_WARNING] = COLOR_YELLOW,
        [CANVAS_ERROR] = COLOR_RED,
    };
    bool can = colour && has_colors() && start_color() == OK;
    short background = can && use_default_colors() == OK ? -1 : COLOR_BLACK;
    for (short i = 0; i < CANVAS_STYLES; i++) {
        attributes[i] = plain[i];
        pairs[i] = 0;
        if (can && colours[i] && init_pair(i, colours[i], background) == OK)
            pairs[i] = i;
    }
}

int screen_open(bool colour, struct error *e)
{
    terminal_hold();
    suspend_hold();
    screen = newterm(NULL, stdout, stdin);
    if (!screen) {
        suspend_let_go();
        terminal_let_go();
        return error_set(e, -ENOTTY, "cannot draw on this terminal; use --batch for plain text");
    }
    set_term(screen);
    signal(SIGQUIT, SIG_IGN); /* the signal would leave the terminal in its present state */
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(ESCAPE_MS);
    curs_set(0);
    choose_styles(colour);
    return 0;
}

void screen_close(void)
{
    if (!screen)
        return;
    endwin();
    delscreen(screen);
    screen = NULL;
    suspend_let_go();
    terminal_let_go();
    signal(SIGQUIT, SIG_DFL);
}

void screen_size(unsigned *width, unsigned *height)
{
    *width = COLS > 0 ? (unsigned)COLS : 1;
    *height = LINES > 0 ? (unsigned)LINES : 1;
}

/* Draws the cells of one style from column x on. Returns the column where they end. */
static unsigned put_run(const struct canvas *c, unsigned y, unsigned x)
{
    wchar_t text[CANVAS_WIDTH_MAX * (CANVAS_MARKS + 1) + 1];
    size_t n = 0;
    unsigned char style = canvas_cell(c, y, x)->style;
    unsigned from = x;
    for (; x < c->width && canvas_cell(c, y, x)->style == style; x++)
        for (const wchar_t *w = canvas_cell(c, y, x)->text; *w; w++)
            text[n++] = *w;
    attr_set(attributes[style], pairs[style], NULL);
    mvaddnwstr((int)y, (int)from, text, (int)n);
    return x;
}

void screen_show(const struct canvas *c)
{
    erase();
    for (unsigned y = 0; y < c->height; y++)
        for (unsigned x = 0; x < c->width;)
            x = put_run(c, y, x);
    attr_set(A_NORMAL, 0, NULL);
    refresh();
}

void screen_redraw(void)
{
    clearok(curscr, TRUE);
}

void screen_wait(struct pollfd *fds, nfds_t n, int ms)
{
    suspend_poll(fds, n, ms);
    if (!suspend_wanted())
        return;
    endwin();
    suspend_now();
    def_shell_mode(); /* the terminal's settings may have changed meanwhile; those are restored later */
    refresh();
}

static uint32_t key_of(wint_t code)
{
    switch (code) {
    case KEY_UP:
        return KEYS_UP;
    case KEY_DOWN:
        return KEYS_DOWN;
    case KEY_LEFT:
        return KEYS_LEFT;
    case KEY_RIGHT:
        return KEYS_RIGHT;
    case KEY_PPAGE:
        return KEYS_PAGE_UP;
    case KEY_NPAGE:
        return KEYS_PAGE_DOWN;
    case KEY_HOME:
        return KEYS_HOME;
    case KEY_END:
        return KEYS_END;
    case KEY_BACKSPACE:
        return KEYS_BACKSPACE;
    case KEY_ENTER:
        return '\r';
    case KEY_RESIZE:
        return KEYS_RESIZE;
    default:
        return 0;
    }
}

/* Reads a key in a locale of single bytes. get_wch cannot be used there: after a byte that is not a character, it would take the next byte
 * as its continuation. */
static bool byte_key(uint32_t *key)
{
    int got = getch();
    if (got == ERR)
        return false;
    wint_t w = got < KEY_MIN ? btowc(got) : WEOF;
    *key = got >= KEY_MIN ? key_of((wint_t)got) : w == WEOF ? 0 : (uint32_t)w;
    return true;
}

bool screen_key(uint32_t *key)
{
    wint_t code;
    if (MB_CUR_MAX == 1)
        return byte_key(key);
    int got = get_wch(&code);
    if (got == ERR)
        return false;
    *key = got == KEY_CODE_YES ? key_of(code) : (uint32_t)code;
    return true;
}
