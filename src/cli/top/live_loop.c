#include "cli/top/live_loop.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/top/keys.h"
#include "cli/top/screen.h"

#include <time.h>
#include <unistd.h>

static const uint64_t first_look_ns = 1200 * NS_PER_MS; /* time for the agent's first second, and for writing its data */
enum { COST_SHARE = 100 };                              /* after a read, wait at least this many times the CPU time it took */

struct live_loop {
    struct look *look;
    uint64_t next_ns;
    bool lost; /* the terminal is gone */
};

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static int show(const struct live_loop *l)
{
    struct canvas c;
    unsigned width, height;
    screen_size(&width, &height);
    if (canvas_init(&c, width, height))
        return CLI_FAILED;
    draw(&c, l->look->model, &l->look->facts);
    screen_show(&c);
    canvas_deinit(&c);
    return CLI_OK;
}

/* Reads data and updates the model. A long recording or a large table is read less often, so that the cost stays below a hundredth of a
 * processor. */
static int look(struct live_loop *l, bool read, struct error *e)
{
    uint64_t before = cpu_ns(), refresh = l->look->refresh_ns;
    int rc = read ? look_read(l->look, e) : 0;
    if (!rc)
        rc = look_show(l->look, e);
    uint64_t least = (cpu_ns() - before) * COST_SHARE;
    if (read)
        l->next_ns = clock_monotonic_ns() + (least > refresh ? least : refresh);
    return rc;
}

static void save(struct live_loop *l)
{
    struct model *m = l->look->model;
    struct error e;
    char text[32];
    uint64_t bytes = 0;
    model_say(m, false, "saving to %s ...", m->typed);
    show(l);
    if (source_save(l->look->source, m->typed, &bytes, &e))
        model_say(m, true, "%s", e.text);
    else
        model_say(m, false, "saved %s (%s bytes)", m->typed, progress_count(bytes, text, sizeof text));
}

/* Takes the keys that were pressed. Returns true if new rows are needed. */
static bool take_keys(struct live_loop *l)
{
    struct model *m = l->look->model;
    bool rows = false;
    uint32_t key;
    while (m->wish != MODEL_QUIT && screen_key(&key)) {
        rows |= keys_take(m, key) == KEYS_LOOK;
        if (rows)
            break; /* the next key may refer to the new rows */
        if (m->wish == MODEL_SAVE_FILE)
            save(l);
        if (m->wish == MODEL_REDRAW)
            screen_redraw();
        if (m->wish != MODEL_QUIT)
            m->wish = MODEL_NO_WISH;
    }
    return rows;
}

static void wait(struct live_loop *l)
{
    struct look *k = l->look;
    bool looks = !k->over && !k->model->paused;
    uint64_t now = clock_monotonic_ns();
    int ms = !looks ? 1000 : l->next_ns > now ? (int)((l->next_ns - now + NS_PER_MS - 1) / NS_PER_MS) : 0;
    struct pollfd fds[] = {{STDIN_FILENO, POLLIN, 0}, {looks ? k->source->session->handle : -1, POLLIN, 0}};
    screen_wait(fds, 2, ms);
    l->lost = fds[0].revents & (POLLHUP | POLLERR | POLLNVAL);
    if (fds[1].revents)
        l->next_ns = 0; /* the JVM has ended, and the picture must say so */
}

static int run(struct live_loop *l, struct error *e)
{
    struct model *m = l->look->model;
    int rc = 0;
    l->next_ns = clock_monotonic_ns() + (first_look_ns < l->look->refresh_ns ? first_look_ns : l->look->refresh_ns);
    while (!rc && m->wish != MODEL_QUIT && !interrupt_signal() && !l->lost) {
        if (show(l))
            return error_set(e, -1, "out of memory");
        wait(l);
        bool rows = take_keys(l);
        bool read = !l->look->over && !m->paused && clock_monotonic_ns() >= l->next_ns;
        if (rows || read)
            rc = look(l, read, e);
    }
    return rc;
}

int live_loop_run(struct look *look)
{
    struct live_loop l = {.look = look};
    struct error e;
    if (screen_open(look->colour, &e))
        return cli_fail("%s", e.text);
    look->facts.foot = true;
    int rc = run(&l, &e);
    screen_close();
    return rc ? cli_fail("%s", e.text) : CLI_OK;
}
