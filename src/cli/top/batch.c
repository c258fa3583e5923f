#include "cli/top/batch.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "cli/interrupt.h"

enum { COLUMNS = 512 }; /* width of a picture if no terminal limits it */

/* Waits until a point of time, or until the JVM has ended. Returns false if a signal arrived. */
static bool wait_until(const struct look *l, uint64_t when)
{
    for (uint64_t now; !interrupt_signal() && (now = clock_monotonic_ns()) < when;) {
        uint64_t ms = (when - now + NS_PER_MS - 1) / NS_PER_MS;
        if (session_wait_end(l->source->session, ms < 200 ? (int)ms : 200))
            break;
    }
    return !interrupt_signal();
}

static int print_picture(struct look *l)
{
    struct canvas c;
    unsigned width = cli_width(stdout);
    uint32_t rows = l->rows && l->rows < l->model->shown_count ? l->rows : l->model->shown_count;
    if (canvas_init(&c, width ? width : COLUMNS, (rows ? rows : 1) + DRAW_LINES))
        return cli_fail("out of memory");
    draw(&c, l->model, &l->facts);
    canvas_print(&c, stdout);
    canvas_deinit(&c);
    putchar('\n');
    return cli_finish_output();
}

int batch_run(struct look *l)
{
    struct error e;
    int status = CLI_OK;
    uint64_t when = clock_monotonic_ns();
    for (unsigned long long n = 0; !status && !l->over && (!l->count || n < l->count); n++) {
        when += l->refresh_ns;
        if (!wait_until(l, when))
            break;
        status = look_read(l, &e) || look_show(l, &e) ? cli_fail("%s", e.text) : print_picture(l);
    }
    return status;
}
