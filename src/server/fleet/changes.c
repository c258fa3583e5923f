/* GET /v1/changes: chooses two sides, adds up their rows by host, and compares them. */
#include "server/fleet/changes.h"
#include "server/fleet/changes_parts.h"

#include "base/text/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_DEFAULT = 100, LIMIT_MAX = 100000 };
#define REQUESTS_LEAST 1e-6
#define REQUESTS_MOST  1e12

int changes_give_up(void *f)
{
    const struct fleet_changes *changes = f;
    return store_is_over(changes->http->server->store, &changes->query.q, changes->error);
}

/* Adds the rows of both sides. few: a side with fewer hosts than this is split into blocks of time. */
static int take_sides(struct fleet_changes *f, uint32_t few, struct error *e)
{
    int rc = 0;
    f->few = few;
    f->changes.is_over = changes_give_up;
    f->changes.context = f;
    for (enum changes_side side = CHANGES_BEFORE; !rc && side <= CHANGES_AFTER; side++) {
        rc = changes_take(f, side, e);
        /* Both sides have the same type, also if it was not asked for. */
        if (!rc && !f->query.q.type && *f->sides[side].result.type)
            f->query.q.type = f->sides[side].result.type;
    }
    return rc;
}

static int compare(struct fleet_changes *f, struct error *e)
{
    const char *asked = f->query.q.type;
    int rc = take_sides(f, CHANGES_FEW_HOSTS, e);
    if (!rc && changes_wants_blocks(&f->changes)) {
        for (int side = 0; side < 2; side++)
            store_result_deinit(&f->sides[side].result);
        changes_deinit(&f->changes);
        f->query.q.type = asked;
        rc = changes_init(&f->changes);
        rc = rc ? rc : take_sides(f, UINT32_MAX, e);
    }
    rc = rc ? rc : changes_compute(&f->changes);
    if (rc == -ENOMEM)
        error_set(e, rc, "out of memory");
    return rc || f->told ? rc : changes_requests(f, e);
}

/* Reads how many requests a second an average host answered on each side: "BEFORE,AFTER". */
static int read_requests(struct fleet_changes *f, struct http *h)
{
    const char *text = http_parameter(h, "requests", NULL);
    double *before = &f->sides[CHANGES_BEFORE].requests, *after = &f->sides[CHANGES_AFTER].requests;
    f->told = text && *text;
    if (!f->told)
        return 0;
    if (!number_take_real(&text, REQUESTS_LEAST, REQUESTS_MOST, before) && *text++ == ',' &&
        !number_parse_real(text, REQUESTS_LEAST, REQUESTS_MOST, after))
        return 0;
    http_error(h, HTTP_BAD_REQUEST,
               "requests: two numbers, how many an average host answered in a second before and after, like 120,118.5");
    return -EINVAL;
}

static int read_options(struct fleet_changes *f, struct http *h)
{
    const char *all = http_parameter(h, "all", NULL), *split = http_parameter(h, "split", NULL);
    f->all = all && !strcmp(all, "1");
    f->split = split && *split ? split : NULL;
    if (question_of_recordings(h, "split", f->split) || question_of_recordings(h, "by", http_parameter(h, "by", NULL)))
        return -EINVAL;
    int rc = read_requests(f, h);
    return rc ? rc : question_number(h, "limit", LIMIT_DEFAULT, LIMIT_MAX, &f->limit);
}

void changes_answer(struct http *h)
{
    struct http_writer w;
    struct error e;
    struct fleet_changes f = {.http = h, .error = &e};
    int rc = question_init_of_samples(&f.query, h);
    if (!rc && changes_init(&f.changes))
        question_failed(h, rc = -ENOMEM, &e);
    rc = rc ? rc : read_options(&f, h);
    rc = rc ? rc : changes_sides(&f);
    if (!rc && (rc = compare(&f, &e)))
        question_failed(h, rc, &e);
    if (!rc && !http_write_begin(h, &w)) {
        rc = changes_write(&f, &w);
        if (rc) {
            http_write_abandon(&w);
            question_failed(h, rc, &e);
        } else {
            http_write_end(h, &w, HTTP_OK, "application/json");
        }
    }
    for (int side = 0; side < 2; side++) {
        selector_deinit(&f.sides[side].selector);
        store_result_deinit(&f.sides[side].result);
        free(f.sides[side].select);
    }
    changes_deinit(&f.changes);
    question_deinit(&f.query);
}
