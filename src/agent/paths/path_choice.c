#include "agent/paths/path_choice.h"

#include <errno.h>
#include <stdlib.h>

struct group {
    uint64_t id, bytes, score;
    uint64_t quarters[PATH_CHOICE_QUARTERS];
};

/* A candidate with its sort keys. */
struct ranked {
    struct path_candidate candidate;
    uint32_t group; /* its rank among the groups, the best first */
    uint32_t turn;
};

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_group_and_age(const void *left, const void *right)
{
    const struct path_candidate *a = left, *b = right;
    int by = order(a->group, b->group);
    return by ? by : order(a->born_ns, b->born_ns);
}

static int by_score(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    int by = order(b->score, a->score);
    by = by ? by : order(b->bytes, a->bytes);
    return by ? by : order(a->id, b->id);
}

static int by_turn(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    int by = order(a->turn, b->turn);
    by = by ? by : order(a->group, b->group);
    return by ? by : order(a->candidate.born_ns, b->candidate.born_ns);
}

static uint32_t quarter_of(uint64_t time, uint64_t begin, uint64_t end)
{
    uint64_t length = end > begin ? end - begin : 1, into = time > begin ? time - begin : 0;
    uint64_t quarter = into / (length / PATH_CHOICE_QUARTERS + 1);
    return quarter < PATH_CHOICE_QUARTERS ? (uint32_t)quarter : PATH_CHOICE_QUARTERS - 1;
}

static void score(struct group *g)
{
    g->score = g->quarters[1];
    for (int i = 2; i < PATH_CHOICE_QUARTERS; i++)
        if (g->quarters[i] < g->score)
            g->score = g->quarters[i];
}

/* Adds up the groups of a list that is sorted by group. Returns the number of groups. */
static uint32_t sum_up(struct group *groups, const struct path_candidate *list, uint32_t count, uint64_t begin, uint64_t end)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!n || groups[n - 1].id != list[i].group)
            groups[n++] = (struct group){.id = list[i].group};
        groups[n - 1].bytes += list[i].bytes;
        groups[n - 1].quarters[quarter_of(list[i].born_ns, begin, end)] += list[i].bytes;
    }
    for (uint32_t i = 0; i < n; i++)
        score(&groups[i]);
    qsort(groups, n, sizeof *groups, by_score);
    return n;
}

static uint32_t place_of(const struct group *groups, uint32_t count, uint64_t id)
{
    uint32_t i = 0;
    while (i < count && groups[i].id != id)
        i++;
    return i;
}

/* Assigns turns. The first objects of a group are spread evenly over its ages: every n-th object, then those between these. */
static void give_turns(struct ranked *ranked, const struct path_candidate *list, uint32_t count, const struct group *groups, uint32_t n)
{
    for (uint32_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && list[to].group == list[from].group;)
            to++;
        uint32_t members = to - from, stride = (members + PATH_CHOICE_TURN - 1) / PATH_CHOICE_TURN;
        uint32_t group = place_of(groups, n, list[from].group);
        for (uint32_t i = from; i < to; i++)
            ranked[i] = (struct ranked){.candidate = list[i], .group = group, .turn = (i - from) % stride};
    }
}

int path_choice_sort(struct path_candidate *list, uint32_t count, uint64_t begin_ns, uint64_t end_ns)
{
    if (!count)
        return 0;
    struct group *groups = calloc(count, sizeof *groups);
    struct ranked *ranked = calloc(count, sizeof *ranked);
    if (groups && ranked) {
        qsort(list, count, sizeof *list, by_group_and_age);
        uint32_t n = sum_up(groups, list, count, begin_ns, end_ns);
        give_turns(ranked, list, count, groups, n);
        qsort(ranked, count, sizeof *ranked, by_turn);
        for (uint32_t i = 0; i < count; i++)
            list[i] = ranked[i].candidate;
    }
    int rc = groups && ranked ? 0 : -ENOMEM;
    free(groups);
    free(ranked);
    return rc;
}
