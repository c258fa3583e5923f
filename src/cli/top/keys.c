#include "cli/top/keys.h"

#include "base/text/utf8.h"
#include "base/time_units.h"

#include <string.h>

enum { ESCAPE = 27, ENTER = '\r', NEWLINE = '\n', DELETE = 127, CONTROL_H = 8, CONTROL_L = 12, CONTROL_U = 21 };

static const struct keys_line help[] = {
    {"Up Down j k", "choose a row"},
    {"PgUp PgDn Home End", "go further"},
    {"Enter Right", "open the row: callers of the method, methods of the thread"},
    {"c", "callers or callees of the method"},
    {"Left Backspace Esc", "back"},
    {"m t b", "methods, threads, books"},
    {"s", "sort by self, total, name"},
    {"/", "search; Esc ends it"},
    {"w", "window: the last seconds, or since the start"},
    {"< >", "a shorter or a longer window"},
    {"p Space", "pause and continue"},
    {"S", "save the recording to a file"},
    {"? h", "this help"},
    {"q", "quit"},
    {NULL, NULL},
};

const struct keys_line *keys_help(void)
{
    return help;
}

/* ---- the prompt ---- */

static void open_prompt(struct model *m, enum model_prompt prompt, const char *text)
{
    m->prompt = prompt;
    snprintf(m->typed, sizeof m->typed, "%s", text);
    memcpy(m->search_before, m->search, sizeof m->search);
}

static void drop_character(char *text)
{
    size_t n = strlen(text);
    while (n && ((unsigned char)text[--n] & 0xc0) == 0x80)
        ;
    text[n] = 0;
}

static void add_character(struct model *m, uint32_t key)
{
    char bytes[4];
    bool fits = key >= ' ' && key != DELETE && key < KEYS_UP && !(key >= 0xd800 && key < 0xe000) && key <= 0x10ffff;
    size_t n = strlen(m->typed), more = fits ? utf8_put(key, bytes) : 0;
    if (!more || n + more >= sizeof m->typed)
        return;
    memcpy(m->typed + n, bytes, more);
    m->typed[n + more] = 0;
}

static enum keys_effect end_prompt(struct model *m, bool take)
{
    enum model_prompt prompt = m->prompt;
    m->prompt = MODEL_NO_PROMPT;
    if (prompt == MODEL_SEARCH && !take) {
        memcpy(m->search, m->search_before, sizeof m->search);
        model_arrange(m);
    }
    if (prompt == MODEL_SAVE && take && *m->typed)
        m->wish = MODEL_SAVE_FILE;
    return KEYS_DRAW;
}

static enum keys_effect take_at_prompt(struct model *m, uint32_t key)
{
    if (key == ESCAPE || key == ENTER || key == NEWLINE)
        return end_prompt(m, key != ESCAPE);
    if (key == KEYS_BACKSPACE || key == DELETE || key == CONTROL_H)
        drop_character(m->typed);
    else if (key == CONTROL_U)
        m->typed[0] = 0;
    else
        add_character(m, key);
    if (m->prompt == MODEL_SEARCH) { /* the search begins while the user types */
        memcpy(m->search, m->typed, sizeof m->search);
        model_arrange(m);
    }
    return KEYS_DRAW;
}

/* ---- the table ---- */

static enum keys_effect show(struct model *m, enum rows_kind kind)
{
    model_show(m, kind);
    return KEYS_LOOK;
}

static enum keys_effect move(struct model *m, int64_t by)
{
    model_move(m, by);
    return KEYS_DRAW;
}

static enum keys_effect next_sort(struct model *m)
{
    m->sort = (m->sort + 1) % MODEL_SORTS;
    model_arrange(m);
    return KEYS_DRAW;
}

static enum keys_effect turn_tree(struct model *m)
{
    struct model_level *l = &m->levels[m->level];
    if (l->kind != ROWS_CALLERS && l->kind != ROWS_CALLEES) {
        model_say(m, false, "c switches between callers and callees: open a method with Enter first");
        return KEYS_DRAW;
    }
    l->kind = l->kind == ROWS_CALLERS ? ROWS_CALLEES : ROWS_CALLERS;
    m->selected = m->first = 0;
    return KEYS_LOOK;
}

static enum keys_effect back(struct model *m)
{
    if (*m->search) {
        m->search[0] = 0;
        model_arrange(m);
        return KEYS_DRAW;
    }
    return model_leave(m) ? KEYS_LOOK : KEYS_NOTHING;
}

static enum keys_effect wish(struct model *m, enum model_wish what)
{
    m->wish = what;
    return KEYS_DRAW;
}

static enum keys_effect set_window(struct model *m, bool longer)
{
    static const uint64_t seconds[] = {5, 10, 30, 60, 300, 900, 3600};
    enum { COUNT = sizeof seconds / sizeof *seconds };
    unsigned i = 0;
    while (i + 1 < COUNT && seconds[i] * NS_PER_S < m->span_ns)
        i++;
    if (longer)
        i += i + 1 < COUNT && seconds[i] * NS_PER_S <= m->span_ns;
    else
        i -= i > 0;
    m->span_ns = seconds[i] * NS_PER_S;
    m->since_start = false;
    return KEYS_LOOK;
}

static enum keys_effect take_letter(struct model *m, uint32_t key)
{
    switch (key) {
    case 'q':
        return wish(m, MODEL_QUIT);
    case CONTROL_L:
        return wish(m, MODEL_REDRAW);
    case '?':
    case 'h':
        m->help = true;
        return KEYS_DRAW;
    case 'm':
        return show(m, ROWS_METHODS);
    case 't':
        return show(m, ROWS_THREADS);
    case 'b':
        return show(m, ROWS_BOOKS);
    case 's':
        return next_sort(m);
    case 'c':
        return turn_tree(m);
    case 'p':
    case ' ':
        m->paused = !m->paused;
        return KEYS_LOOK;
    case 'w':
        m->since_start = !m->since_start;
        return KEYS_LOOK;
    case '<':
        return set_window(m, false);
    case '>':
        return set_window(m, true);
    case '/':
        open_prompt(m, MODEL_SEARCH, m->search);
        return KEYS_DRAW;
    case 'S':
        open_prompt(m, MODEL_SAVE, m->file);
        return KEYS_DRAW;
    default:
        return KEYS_NOTHING;
    }
}

static enum keys_effect take_key(struct model *m, uint32_t key)
{
    switch (key) {
    case KEYS_UP:
    case 'k':
        return move(m, -1);
    case KEYS_DOWN:
    case 'j':
        return move(m, 1);
    case KEYS_PAGE_UP:
        return move(m, -(int64_t)m->page);
    case KEYS_PAGE_DOWN:
        return move(m, m->page);
    case KEYS_HOME:
        return move(m, -(int64_t)INT32_MAX);
    case KEYS_END:
        return move(m, INT32_MAX);
    case ENTER:
    case NEWLINE:
    case KEYS_RIGHT:
        return model_enter(m) ? KEYS_LOOK : KEYS_NOTHING;
    case KEYS_LEFT:
    case KEYS_BACKSPACE:
    case DELETE:
    case CONTROL_H:
    case ESCAPE:
        return back(m);
    case KEYS_RESIZE:
        return KEYS_DRAW;
    default:
        return take_letter(m, key);
    }
}

enum keys_effect keys_take(struct model *m, uint32_t key)
{
    bool said = *m->message;
    if (m->prompt && key != KEYS_RESIZE)
        return take_at_prompt(m, key);
    if (key != KEYS_RESIZE)
        m->message[0] = 0;
    if (m->help && key != KEYS_RESIZE && key != 'q') {
        m->help = false;
        return KEYS_DRAW;
    }
    enum keys_effect effect = take_key(m, key);
    return said && effect == KEYS_NOTHING ? KEYS_DRAW : effect;
}
