/* candor fleet services: the services of the fleet, the one with most CPU time first. */
#include "base/text/units.h"
#include "cli/fleet/fleet.h"

#include <stdlib.h>

enum { VALUES_MAX = 100 }; /* the server lists no more values of a label */

static const struct table_column columns[] = {
    {"SERVICE", false}, {"CPU", true}, {"CORES", true}, {"ALLOCATED", true}, {"HOSTS", true}, {"VERSIONS", true}, {"RECORDINGS", true},
};

static json_int_t weight(const json_t *service, const char *type)
{
    return json_integer_value(json_object_get(json_object_get(service, "types"), type));
}

static int by_cpu(const void *a, const void *b)
{
    json_int_t x = weight(*(json_t *const *)a, "cpu:ns"), y = weight(*(json_t *const *)b, "cpu:ns");
    return x < y ? 1 : -(x > y);
}

static void add_values(struct table *t, const json_t *service, const char *label)
{
    size_t n = json_array_size(json_object_get(json_object_get(service, "labels"), label));
    table_add(t, "%zu%s", n, n >= VALUES_MAX ? "+" : "");
}

/* CPU time over the time between the service's first sample and its last: of recordings that follow each other it is the number of
 * cores that the service keeps busy. */
static double cores(const json_t *service)
{
    json_int_t first = json_integer_value(json_object_get(service, "first")), last = json_integer_value(json_object_get(service, "last"));
    return last < first ? 0 : (double)weight(service, "cpu:ns") / 1e9 / (double)(last - first + 1);
}

static void add_row(struct table *t, const json_t *service)
{
    char cpu[32], bytes[32];
    table_add(t, "%s", fleet_text(service, "name"));
    table_add(t, "%s", units_format_duration(cpu, sizeof cpu, (uint64_t)weight(service, "cpu:ns")));
    table_add(t, "%.3g", cores(service));
    table_add(t, "%s", units_format_bytes(bytes, sizeof bytes, (uint64_t)weight(service, "alloc_space:bytes")));
    add_values(t, service, "host");
    add_values(t, service, "version");
    table_add(t, "%lld", (long long)json_integer_value(json_object_get(service, "recordings")));
}

static int print(const struct fleet *f, const json_t *answer)
{
    const json_t *list = json_object_get(answer, "services");
    struct table t;
    size_t n = json_array_size(list);
    json_t **sorted = calloc(n + 1, sizeof *sorted);
    if (!sorted)
        return cli_fail("out of memory");
    for (size_t i = 0; i < n; i++)
        sorted[i] = json_array_get(list, i);
    qsort(sorted, n, sizeof *sorted, by_cpu);
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < n; i++)
        add_row(&t, sorted[i]);
    free(sorted);
    if (!n)
        fprintf(stderr, "%s has no recordings of that time\n", f->address);
    return fleet_table(&t);
}

static int services_run(const struct fleet *f)
{
    struct buffer query;
    fleet_begin(f, &query, "/v1/services");
    return fleet_show(f, &query, print);
}

const struct fleet_view fleet_services = {
    .name = "services",
    .words = "",
    .summary = "services, the one with most CPU time first",
    .options = "",
    .run = services_run,
};
