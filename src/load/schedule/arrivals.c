#include "load/schedule/arrivals.h"

#include "base/text/number.h"
#include "base/time_units.h"
#include "load/workload/draw.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(struct schedule *s, size_t *room, uint64_t ns)
{
    if (s->arrival_count == *room) {
        size_t more = *room ? *room * 2 : 4096;
        uint64_t *grown = more <= 2 * (size_t)ARRIVALS_MOST ? realloc(s->arrivals, more * sizeof *grown) : NULL;
        if (!grown)
            return -ENOMEM;
        s->arrivals = grown;
        *room = more;
    }
    s->arrivals[s->arrival_count++] = ns;
    return 0;
}

int arrivals_poisson(struct schedule *s, uint64_t length, uint64_t seed, struct error *e)
{
    struct draw d = draw_begin(seed, 0);
    uint64_t *arrivals = NULL;
    size_t room = 0;
    /* In units of the expected number of requests, the gaps are exponential with a mean of 1, whatever the steps are. */
    double position = 0;
    struct schedule made = *s;
    made.arrivals = NULL;
    made.arrival_count = 0;
    for (;;) {
        position += -log(1 - draw_unit(&d));
        uint64_t ns = schedule_at(s, position);
        if (ns >= length)
            break;
        if (made.arrival_count == ARRIVALS_MOST || add(&made, &room, ns)) {
            free(made.arrivals);
            return error_set(e, -ENOMEM, "--arrivals poisson: more than %d requests; use a shorter time or a lower rate", ARRIVALS_MOST);
        }
    }
    arrivals = made.arrivals ? made.arrivals : calloc(1, sizeof *arrivals);
    if (!arrivals)
        return error_set(e, -ENOMEM, "no memory for the arrivals");
    made.arrivals = arrivals;
    *s = made;
    return 0;
}

/* Reads the time of a line in ns after `first`. Returns whether it is one. */
static bool take_time(const char *line, double *first, bool has_first, uint64_t *ns)
{
    double seconds;
    if (number_parse_real(line, 0, 1e10, &seconds))
        return false;
    if (!has_first)
        *first = seconds;
    if (seconds < *first || seconds - *first > ARRIVALS_SECONDS_MOST)
        return false;
    *ns = (uint64_t)llround((seconds - *first) * NS_PER_S);
    return true;
}

static int read_lines(struct schedule *s, const char *file, FILE *f, struct error *e)
{
    char *line = NULL;
    size_t cap = 0, number = 0, room = 0;
    ssize_t n;
    double first = 0;
    int rc = 0;
    while (!rc && (n = getline(&line, &cap, f)) > 0) {
        uint64_t ns;
        number++;
        while (n && isspace((unsigned char)line[n - 1]))
            line[--n] = 0;
        if (!*line || *line == '#')
            continue;
        if (!take_time(line, &first, s->arrival_count > 0, &ns) || (s->arrival_count && ns < s->arrivals[s->arrival_count - 1]))
            rc = error_set(
                e, -EINVAL,
                "%.200s, line %zu: '%.40s' is no time in seconds, is before the line above it, or is more than 11 days after the first",
                file, number, line);
        else if (s->arrival_count == ARRIVALS_MOST || add(s, &room, ns))
            rc = error_set(e, -ENOMEM, "%.200s has more than %d times", file, ARRIVALS_MOST);
    }
    free(line);
    return rc;
}

int arrivals_read(struct schedule *s, const char *file, struct error *e)
{
    FILE *f = fopen(file, "re");
    if (!f)
        return error_set(e, -errno, "cannot read the arrivals in %.200s: %s; --arrivals is even, poisson or a file of times", file,
                         strerror(errno));
    *s = (struct schedule){0};
    int rc = read_lines(s, file, f, e);
    if (!rc && ferror(f))
        rc = error_set(e, -EIO, "cannot read the arrivals in %.200s", file);
    if (!rc && !s->arrival_count)
        rc = error_set(e, -EINVAL, "%.200s has no times", file);
    fclose(f);
    return rc;
}
