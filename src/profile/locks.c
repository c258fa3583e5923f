#include "profile/locks.h"

#include "base/array.h"
#include "base/map.h"
#include "profile/owner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOBODY = UINT32_MAX };

int locks_add_label(struct profile *p, const char *key, uint32_t value, bool number, uint32_t *labels)
{
    struct profile_label label = {.parent = *labels, .value = value, .number = number};
    return profile_string(p, key, strlen(key), &label.key) ? -ENOMEM : profile_label(p, &label, labels);
}

static uint32_t value_of(const struct profile *p, uint32_t labels, uint32_t key)
{
    for (; labels; labels = p->labels[labels].parent)
        if (p->labels[labels].key == key)
            return p->labels[labels].value;
    return 0;
}

uint32_t locks_value(const struct profile *p, const struct profile_sample *s, uint32_t key)
{
    return value_of(p, s->labels, key);
}

bool locks_has_open(const struct profile *p)
{
    return strtab_find(&p->strings, "open", strlen("open"));
}

uint32_t locks_label(const struct profile *p, const struct profile_sample *s, const char *key)
{
    for (uint32_t labels = s->labels; labels; labels = p->labels[labels].parent)
        if (!strcmp(profile_text(p, p->labels[labels].key), key))
            return p->labels[labels].value;
    return 0;
}

/* ---- owners ---- */

struct keys {
    uint32_t class_name, address, owner;
};

static int find_row(struct locks *l, struct map *places, const struct locks_row *like, uint32_t *row)
{
    bool added;
    uint32_t *place = map_add(places, hash_mix((uint64_t)like->class_name << 32 | like->address) ^ like->state, &added);
    if (!place || (added && ARRAY_GROW(l->rows, l->row_cap, l->row_count)))
        return -ENOMEM;
    if (added) {
        *place = l->row_count;
        l->rows[l->row_count++] = *like;
    }
    *row = *place;
    return 0;
}

static int find_holder(struct locks *l, struct map *places, uint32_t row, uint32_t owner, uint32_t *holder)
{
    bool added;
    uint32_t *place = map_add(places, (uint64_t)row << 32 | owner, &added);
    if (!place || (added && ARRAY_GROW(l->holders, l->holder_cap, l->holder_count)))
        return -ENOMEM;
    if (added) {
        *place = l->holder_count;
        l->holders[l->holder_count++] = (struct locks_holder){.row = row, .owner = owner};
    }
    *holder = *place;
    return 0;
}

/* ---- where threads waited ---- */

struct site {
    uint32_t row, label;
    uint64_t weight;
};

struct site_list {
    struct site *list;
    uint32_t count, cap;
    struct map places;
};

static int add_site(struct site_list *sites, uint32_t row, uint32_t label, uint64_t weight)
{
    bool added;
    uint32_t *place = map_add(&sites->places, (uint64_t)row << 32 | label, &added);
    if (!place || (added && ARRAY_GROW(sites->list, sites->cap, sites->count)))
        return -ENOMEM;
    if (added) {
        *place = sites->count;
        sites->list[sites->count++] = (struct site){row, label, 0};
    }
    sites->list[*place].weight += weight;
    return 0;
}

/* Notes the heaviest site of each row. The rows are still in the order in which they were found. */
static int choose_sites(struct locks *l, const struct site_list *sites)
{
    uint64_t *most = calloc((size_t)l->row_count + 1, sizeof *most);
    for (uint32_t i = 0; most && i < sites->count; i++) {
        const struct site *site = &sites->list[i];
        if (site->weight > most[site->row]) {
            most[site->row] = site->weight;
            l->rows[site->row].site = site->label;
        }
    }
    free(most);
    return most ? 0 : -ENOMEM;
}

struct places {
    struct map rows, holders;
    struct site_list sites;
};

/* Adds up the samples by lock. own: for each node of the trie, the label of the program's own method (profile/owner.h). */
static int add_samples(struct locks *l, const struct profile *p, const struct keys *keys, const uint32_t *own, struct places *places)
{
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        struct locks_row like = {
            .class_name = value_of(p, s->labels, keys->class_name), .address = value_of(p, s->labels, keys->address), .state = s->state};
        uint32_t row, holder;
        if (find_row(l, &places->rows, &like, &row) ||
            find_holder(l, &places->holders, row, value_of(p, s->labels, keys->owner), &holder) ||
            add_site(&places->sites, row, own[s->stack], s->weight))
            return -ENOMEM;
        l->rows[row].weight += s->weight;
        l->rows[row].samples += s->count;
        l->holders[holder].weight += s->weight;
        l->holders[holder].samples += s->count;
    }
    return choose_sites(l, &places->sites);
}

/* ---- sorting ---- */

static int compare_holders(const void *one, const void *other)
{
    const struct locks_holder *a = one, *b = other;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->weight != b->weight ? (a->weight > b->weight ? -1 : 1) : (a->owner > b->owner) - (a->owner < b->owner);
}

static int compare_rows(const void *one, const void *other)
{
    const struct locks_row *a = one, *b = other;
    return a->weight != b->weight ? (a->weight > b->weight ? -1 : 1) : (a->first > b->first) - (a->first < b->first);
}

static void sort(struct locks *l)
{
    if (!l->row_count)
        return;
    qsort(l->holders, l->holder_count, sizeof *l->holders, compare_holders);
    for (uint32_t i = l->holder_count; i--;) {
        struct locks_row *row = &l->rows[l->holders[i].row];
        row->first = i;
        row->holders++;
    }
    qsort(l->rows, l->row_count, sizeof *l->rows, compare_rows);
}

/* ---- cycles ---- */

/* Links each open wait to the sample in which the lock's owner waits. */
struct graph {
    struct map by_id;         /* thread number, as a hash of its digits -> sample */
    uint32_t *next, *seen_in; /* by sample; seen_in: the number of the walk that visited it, 0 = none */
};

static uint64_t hash_text(const char *text)
{
    return hash_bytes(text, strlen(text));
}

static int add_waiters(struct graph *g, const struct profile *p)
{
    char digits[32];
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        uint64_t id = p->threads[s->thread].java_id;
        bool added;
        if (!id || !locks_label(p, s, "open"))
            continue;
        snprintf(digits, sizeof digits, "%" PRIu64, id);
        uint32_t *place = map_add(&g->by_id, hash_text(digits), &added);
        if (!place)
            return -ENOMEM;
        *place = i;
    }
    return 0;
}

static void link_samples(struct graph *g, const struct profile *p)
{
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        uint32_t owner = locks_label(p, s, "open") ? locks_label(p, s, "owner_id") : 0;
        const uint32_t *next = owner ? map_find(&g->by_id, hash_text(profile_text(p, owner))) : NULL;
        g->next[i] = next ? *next : NOBODY;
    }
}

static int add_circle(struct locks *l, const struct graph *g, uint32_t first)
{
    uint32_t sample = first;
    do {
        if (ARRAY_GROW(l->links, l->link_cap, l->link_count))
            return -ENOMEM;
        l->links[l->link_count++] = (struct locks_link){sample, g->next[sample] == first};
        sample = g->next[sample];
    } while (sample != first);
    return 0;
}

/* Finds cycles. It follows the links from each sample until there is no next one, or until it meets a sample that was visited before. If
 * that happened in the same walk, the sample is on a cycle. */
static int find_circles(struct locks *l, struct graph *g, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at != NOBODY && !g->seen_in[at]; at = g->next[at])
            g->seen_in[at] = i + 1;
        if (at != NOBODY && g->seen_in[at] == i + 1 && add_circle(l, g, at))
            return -ENOMEM;
    }
    return 0;
}

static int add_circles(struct locks *l, const struct profile *p)
{
    struct graph g = {.next = calloc(p->sample_count + 1, sizeof *g.next), .seen_in = calloc(p->sample_count + 1, sizeof *g.seen_in)};
    map_init(&g.by_id);
    int rc = g.next && g.seen_in ? add_waiters(&g, p) : -ENOMEM;
    if (!rc) {
        link_samples(&g, p);
        rc = find_circles(l, &g, p->sample_count);
    }
    map_deinit(&g.by_id);
    free(g.next);
    free(g.seen_in);
    return rc;
}

static int add_up(struct locks *l, struct profile *p)
{
    struct places places = {0};
    struct keys keys;
    uint32_t *own = owner_own_labels(p);
    int rc = !own || profile_string(p, "class", strlen("class"), &keys.class_name) ||
                     profile_string(p, "address", strlen("address"), &keys.address) ||
                     profile_string(p, "owner", strlen("owner"), &keys.owner)
                 ? -ENOMEM
                 : add_samples(l, p, &keys, own, &places);
    free(own);
    free(places.sites.list);
    map_deinit(&places.sites.places);
    map_deinit(&places.rows);
    map_deinit(&places.holders);
    return rc;
}

int locks_compute(struct locks *l, struct profile *p)
{
    *l = (struct locks){0};
    int rc = add_up(l, p);
    if (!rc && p->merged < 2) /* a thread's number differs between recordings */
        rc = add_circles(l, p);
    sort(l);
    return rc;
}

void locks_deinit(struct locks *l)
{
    free(l->rows);
    free(l->holders);
    free(l->links);
    *l = (struct locks){0};
}
