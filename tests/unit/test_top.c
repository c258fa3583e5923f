/* What candor top shows, without terminal and JVM: rows, their order, search, details of a row, and a screen that no name can break.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "base/time_units.h"
#include "cli/top/draw.h"
#include "cli/top/keys.h"
#include "profile_maker.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct draw_facts facts = {.pid = 4711, .name = "Main", .clock = "sigtrap", .state = "", .time = "12:00:00", .foot = true};

static void press(struct model *m, const struct profile *p, const char *keys)
{
    for (; *keys; keys++)
        if (keys_take(m, (unsigned char)*keys) == KEYS_LOOK)
            model_update(m, p);
}

/* The row at place i has this name. */
static bool is_row(const struct model *m, uint32_t i, const char *name)
{
    return i < m->shown_count && !strcmp(model_row(m, i)->name, name);
}

static void make(struct profile *p)
{
    maker_init(p);
    for (int i = 0; i < 60; i++)
        maker_sample(p, "a.Main.main;a.Main.run;b.Work.hot", 1000000);
    for (int i = 0; i < 30; i++)
        maker_sample_of(p, "other", "a.Main.main;b.Work.cold", 1000000);
    for (int i = 0; i < 10; i++)
        maker_sample(p, "a.Main.main;a.Main.run;b.Work.cold;b.Work.hot", 1000000);
    maker_book(p, "cpu", "", 125000000, 0);
    maker_book(p, "complete", "", 100000000, 100);
    maker_book(p, "failed", "gc", 12500000, 10);
    maker_book(p, "failed", "deopt", 6250000, 5);
    maker_book(p, "residual", "", 6250000, 0);
    p->duration_ns = NS_PER_S;
    p->interval_ns = NS_PER_MS;
}

static void test_methods(const struct profile *p)
{
    struct model m;
    model_init(&m, 30 * NS_PER_S);
    tap_ok(!model_update(&m, p) && m.shown_count == 4 && is_row(&m, 0, "b.Work.hot"), "methods, the hottest first");
    struct stats s;
    stats_compute(&s, p);
    const struct row *row = model_row(&m, 0);
    tap_ok(fabs(row->self - 0.7) < 1e-9 && row->self_interval.low == s.methods.rows[0].self.interval.low &&
               row->self_interval.high == s.methods.rows[0].self.interval.high,
           "with the report's shares and intervals");
    stats_deinit(&s);
    press(&m, p, "s");
    tap_ok(m.sort == MODEL_BY_TOTAL && is_row(&m, 0, "a.Main.main"), "s: by total");
    press(&m, p, "s");
    tap_ok(m.sort == MODEL_BY_NAME && is_row(&m, 0, "a.Main.main") && is_row(&m, 3, "b.Work.hot"), "s: by name");
    press(&m, p, "s/COLD\r");
    tap_ok(m.shown_count == 1 && is_row(&m, 0, "b.Work.cold") && fabs(m.search_self - 0.3) < 1e-9, "/: search, in any case");
    press(&m, p, "/x");
    tap_ok(m.shown_count == 0, "what is typed is searched at once");
    press(&m, p, "\033");
    tap_ok(m.shown_count == 1 && m.prompt == MODEL_NO_PROMPT, "Esc at the prompt: the search before");
    press(&m, p, "\033");
    tap_ok(m.shown_count == 4, "Esc: no search");
    tap_ok(fabs(m.accounts[0].share - 0.15) < 1e-9 && fabs(m.accounts[3].share - 0.05) < 1e-9 && fabs(m.cpus - 0.125) < 1e-9,
           "books: failed with all its reasons, residual, CPUs");
    model_deinit(&m);
}

static void test_looking_into(const struct profile *p)
{
    struct model m;
    model_init(&m, 0);
    model_update(&m, p);
    press(&m, p, "\r");
    tap_ok(model_level(&m)->kind == ROWS_CALLERS && is_row(&m, 0, "b.Work.hot") && is_row(&m, 1, "a.Main.run") &&
               fabs(model_row(&m, 1)->total - 0.6) < 1e-9,
           "Enter: callers of the method");
    tap_ok(model_row(&m, 1)->fork && model_row(&m, 1)->depth == 1, "a fork moves to the right");
    press(&m, p, "jj\r");
    tap_ok(is_row(&m, 0, "a.Main.main") && fabs(model_row(&m, 0)->total - 1) < 1e-9, "Enter again: those of a caller");
    press(&m, p, "c");
    tap_ok(model_level(&m)->kind == ROWS_CALLEES && is_row(&m, 1, "a.Main.run"), "c: what it calls");
    press(&m, p, "\033");
    tap_ok(is_row(&m, 0, "b.Work.hot") && m.selected == 2, "Esc: back, where one was");
    press(&m, p, "t");
    tap_ok(m.level == 0 && m.shown_count == 2 && is_row(&m, 0, "main") && fabs(model_row(&m, 0)->self - 0.7) < 1e-9, "t: threads");
    press(&m, p, "j\r");
    struct live_part part = model_part(&m);
    tap_ok(part.one_thread && !strcmp(profile_text(p, p->threads[part.thread].name), "other") && !strcmp(m.title, "other"),
           "Enter: of one thread");
    press(&m, p, "b");
    tap_ok(is_row(&m, 0, "CPU") && is_row(&m, 3, "failed") && is_row(&m, 4, "gc") && fabs(model_row(&m, 3)->total - 0.15) < 1e-9,
           "b: books with reasons");
    model_deinit(&m);
}

static void test_choice(void)
{
    struct profile p, later;
    struct model m;
    maker_init(&p);
    maker_sample(&p, "a.A.one", 3);
    maker_sample(&p, "a.A.two", 2);
    maker_sample(&p, "a.A.three", 1);
    model_init(&m, 0);
    model_update(&m, &p);
    press(&m, &p, "j");
    maker_init(&later);
    maker_sample(&later, "a.A.one", 1); /* the labels have the same ids, because the same names come in the same order */
    maker_sample(&later, "a.A.two", 9);
    maker_sample(&later, "a.A.three", 5);
    model_update(&m, &later);
    tap_ok(is_row(&m, m.selected, "a.A.two") && m.selected == 0, "a chosen row stays chosen when the order changes");
    model_fit(&m, 2);
    press(&m, &later, "jjjj");
    tap_ok(m.selected == 2 && m.first == 1, "the chosen row stays on the screen");
    keys_take(&m, KEYS_HOME);
    tap_ok(m.selected == 0 && m.first == 0, "Home");
    model_update(&m, &p);
    tap_ok(is_row(&m, 0, "a.A.one") && m.selected == 0, "who is at the top stays at the top, whatever comes there");
    keys_take(&m, KEYS_PAGE_DOWN);
    tap_ok(m.selected == 2, "a page is what the screen holds");
    model_deinit(&m);
    profile_deinit(&p);
    profile_deinit(&later);
}

static void test_keys(const struct profile *p)
{
    struct model m;
    model_init(&m, 30 * NS_PER_S);
    model_update(&m, p);
    press(&m, p, ">");
    tap_ok(m.span_ns == 60 * NS_PER_S, ">: a longer window");
    press(&m, p, "<<<<<<");
    tap_ok(m.span_ns == 5 * NS_PER_S && model_part(&m).span_ns == 5 * NS_PER_S, "<: a shorter one, to a least");
    press(&m, p, "w");
    tap_ok(!model_part(&m).span_ns, "w: since the start");
    press(&m, p, "p");
    tap_ok(m.paused, "p: pause");
    snprintf(m.file, sizeof m.file, "x.jfr");
    press(&m, p, "Sy\177\177z\r");
    tap_ok(m.wish == MODEL_SAVE_FILE && !strcmp(m.typed, "x.jfz"), "S: a name that can be changed: '%s'", m.typed);
    m.wish = MODEL_NO_WISH;
    press(&m, p, "S");
    for (int i = 0; i < 5000; i++)
        keys_take(&m, 0x65e5);
    tap_ok(strlen(m.typed) < sizeof m.typed && strlen(m.typed) > 200, "what is typed has a bound");
    press(&m, p, "\033?");
    tap_ok(m.help && m.wish == MODEL_NO_WISH, "?: help");
    press(&m, p, "x");
    tap_ok(!m.help, "any key: no help");
    press(&m, p, "q");
    tap_ok(m.wish == MODEL_QUIT, "q: quit");
    model_deinit(&m);
}

/* ---- pictures ---- */

static char *text_of(const struct canvas *c)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    canvas_print(c, f);
    fclose(f);
    return text;
}

/* Each cell is a character with its marks, a wide character with an empty cell after it, or a blank. */
static bool is_grid(const struct canvas *c)
{
    for (unsigned y = 0; y < c->height; y++)
        for (unsigned x = 0; x < c->width; x++) {
            const wchar_t *text = canvas_cell(c, y, x)->text;
            int width = wcwidth(*text);
            if (!*text || width < 1 || (width == 2 && (x + 1 == c->width || *canvas_cell(c, y, x + 1)->text)))
                return false;
            for (text++; *text; text++)
                if (wcwidth(*text))
                    return false;
            x += (unsigned)width - 1;
        }
    return true;
}

static const char *const hostile[] = {
    "\033[2J\033[31mred\007",
    "line\nbreak\r\ttab",
    "\xc2\x9b"
    "31m",
    "\xff\xfe broken \xc3",
    "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d.right",
    "a\xe2\x80\xae.over",
    "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e.\xe6\x97\xa5",
    "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81.marks",
    "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb.emoji",
    "<b>&amp;</b>",
    "%s%n%d",
    "",
};

static void test_canvas(void)
{
    static const char *const obeyed[] = {"\xe2\x80\xae", "\xe2\x80\x8d", "\xc2\x9b"};
    struct canvas c;
    canvas_init(&c, 8, 2);
    tap_ok(canvas_put(&c, 0, 0, 8, CANVAS_PLAIN, "0123456789") == 8 && is_grid(&c), "text is cut at the edge");
    tap_ok(canvas_put(&c, 1, 6, 9, CANVAS_PLAIN, "a\xe6\x97\xa5") == 1 && is_grid(&c), "a wide character that does not fit is left out");
    tap_ok(!canvas_put(&c, 2, 0, 9, CANVAS_PLAIN, "x") && !canvas_put(&c, 0, 8, 9, CANVAS_PLAIN, "x"), "nothing outside");
    canvas_clear(&c);
    canvas_put_end(&c, 0, 0, 8, CANVAS_PLAIN, "0123456789");
    char *text = text_of(&c);
    tap_ok(!strcmp(text, "\xe2\x80\xa6"
                         "3456789\n"),
           "the end is kept");
    free(text);
    canvas_deinit(&c);
    tap_ok(canvas_line("one two three", 7) == 8 && canvas_line("one two three", 6) == 4 && canvas_line("one two", 7) == 7,
           "a line has whole words");
    tap_ok(canvas_line("abcdefgh x", 3) == 3 && canvas_line("\xe6\x97\xa5\xe6\x9c\xac", 3) == 3 && !canvas_line("", 5),
           "or what fits of a longer one");
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        canvas_init(&c, 24, 1);
        unsigned columns = canvas_put(&c, 0, 0, 24, CANVAS_PLAIN, hostile[i]);
        text = text_of(&c);
        bool clean = true;
        for (const char *b = text; *b; b++)
            clean &= (unsigned char)*b >= ' ' || *b == '\n';
        for (size_t k = 0; k < sizeof obeyed / sizeof *obeyed; k++)
            clean &= !strstr(text, obeyed[k]);
        tap_ok(is_grid(&c) && clean && columns == canvas_columns(hostile[i]), "hostile name %zu", i);
        free(text);
        canvas_deinit(&c);
    }
}

static void add_hostile(struct profile *p)
{
    char frames[12000] = "a.B.";
    for (size_t i = 0; i + 1 < sizeof hostile / sizeof *hostile; i++) {
        snprintf(frames, sizeof frames, "a.B.main;%s", hostile[i]);
        for (char *s = frames + 9; *s; s++)
            *s = *s == ';' || *s == ':' || *s == '|' ? '_' : *s;
        maker_sample_of(p, hostile[i], frames, 1000000 + i);
    }
    memset(frames, 'x', 10000);
    memcpy(frames, "a.", 2);
    memcpy(frames + 9990, ".Last.end", 10);
    maker_sample_of(p, frames, frames, 2000000);
}

/* The screen in every size, with every name. */
static void test_sizes(void)
{
    static const char *const views[] = {"m", "t", "b", "m\r", "m\rc", "t\r", "?", "/abc", "S", "m/a\r", "p"};
    struct profile p;
    struct model m;
    unsigned bad = 0, pictures = 0;
    maker_init(&p);
    add_hostile(&p);
    maker_book(&p, "cpu", "", 30000000, 0);
    maker_book(&p, "failed", "gc", 1, 1);
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
        model_init(&m, 0);
        model_update(&m, &p);
        press(&m, &p, views[v]);
        for (unsigned width = 1; width <= 210; width += width < 100 ? 1 : 7)
            for (unsigned height = 1; height <= 30; height += height < 8 ? 1 : 11) {
                struct canvas c;
                canvas_init(&c, width, height);
                draw(&c, &m, &facts);
                bad += !is_grid(&c);
                pictures++;
                canvas_deinit(&c);
            }
        model_deinit(&m);
    }
    tap_ok(!bad, "%u of %u pictures, from 1x1 to 210x30, are broken by hostile names", bad, pictures);
    profile_deinit(&p);
}

static char *picture(struct model *m, unsigned width, unsigned height)
{
    struct canvas c;
    canvas_init(&c, width, height);
    draw(&c, m, &facts);
    char *text = text_of(&c);
    canvas_deinit(&c);
    return text;
}

static void test_picture(const struct profile *p)
{
    struct model m;
    model_init(&m, 30 * NS_PER_S);
    model_update(&m, p);
    char *text = picture(&m, 80, 24);
    tap_ok(strstr(text, "candor top 4711 Main") && strstr(text, "12:00:00") && strstr(text, "0.12 CPUs") && strstr(text, "100 samples"),
           "80x24: the head");
    tap_ok(strstr(text, "failed 15.0 %") && strstr(text, "lost 0.0 %") && strstr(text, "unseen 0.0 %") && strstr(text, "residual 5.0 %"),
           "the books");
    tap_ok(strstr(text, "  70.0 [") && strstr(text, "b.Work.hot") && strstr(text, "\xe2\x96\x88\xe2\x96\x92"), "a row with its bar");
    tap_ok(strstr(text, "q quit"), "the keys");
    if (tap_failures)
        tap_note("%s", text);
    free(text);
    text = picture(&m, 40, 10);
    tap_ok(strstr(text, "failed 15.0 %") && strstr(text, "  70.0   70.0 b.Work.hot"), "40x10: fewer columns, the books stay");
    free(text);
    model_say(&m, true, "cannot write /a/file: it is there already; choose another name");
    text = picture(&m, 40, 10);
    tap_ok(strstr(text, "cannot write /a/file: it is there\nalready; choose another name\n"), "40x10: a message is readable to its end");
    tap_ok(!strstr(text, "q quit"), "in place of the keys");
    free(text);
    m.message[0] = 0;
    text = picture(&m, 12, 10);
    tap_ok(strstr(text, "q quit\n") && !strstr(text, "?"), "12x10: the keys that fit");
    free(text);
    model_deinit(&m);
    setlocale(LC_CTYPE, "C");
    model_init(&m, 0);
    model_update(&m, p);
    text = picture(&m, 80, 24);
    bool ascii = true;
    for (const char *s = text; *s; s++)
        ascii &= (unsigned char)*s < 0x7f;
    tap_ok(ascii && strstr(text, "#--"), "in the locale C only ASCII");
    free(text);
    model_deinit(&m);
    setlocale(LC_CTYPE, "C.UTF-8");
}

int main(void)
{
    struct profile p;
    if (!tap_ok(setlocale(LC_CTYPE, "C.UTF-8") != NULL, "the locale C.UTF-8 is there"))
        return tap_done();
    make(&p);
    test_methods(&p);
    test_looking_into(&p);
    test_choice();
    test_keys(&p);
    test_canvas();
    test_picture(&p);
    test_sizes();
    profile_deinit(&p);
    return tap_done();
}
