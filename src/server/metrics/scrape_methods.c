#include "server/metrics/scrape_methods.h"

#include "base/time_units.h"
#include "server/request/exposition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The metrics have samples of several services. The samples of one metric must stand together, so the second has a text of its own. */
struct writing {
    FILE *methods, *others;
    uint32_t most;
};

static int by_self(const void *left, const void *right)
{
    const struct method_sum *a = left, *b = right;
    if (a->self != b->self)
        return a->self < b->self ? 1 : -1;
    return (a->label > b->label) - (a->label < b->label);
}

static void put_service(const struct writing *w, const char *service, const struct profile *p, struct store_result *r)
{
    double seconds = (double)(r->to - r->from) * NS_PER_S;
    uint64_t rest = r->weight;
    if (r->method_count)
        qsort(r->methods, r->method_count, sizeof *r->methods, by_self);
    for (uint32_t i = 0; i < r->method_count && i < w->most && r->methods[i].self && seconds > 0; i++) {
        fputs("candor_service_method_cpu{service=\"", w->methods);
        exposition_label(w->methods, service);
        fputs("\",method=\"", w->methods);
        exposition_label(w->methods, profile_text(p, r->methods[i].label));
        fprintf(w->methods, "\"} %.9g\n", (double)r->methods[i].self / seconds);
        rest -= r->methods[i].self < rest ? r->methods[i].self : rest;
    }
    if (!(seconds > 0))
        return;
    fputs("candor_service_other_methods_cpu{service=\"", w->others);
    exposition_label(w->others, service);
    fprintf(w->others, "\"} %.9g\n", (double)rest / seconds);
}

/* Selects what the query selects, of one service. */
static int narrow(const struct store_query *q, const char *service, struct selector *s)
{
    *s = *q->selector;
    if (s->count == SELECTOR_MAX)
        return -EINVAL;
    s->list[s->count] = (struct matcher){.name = (char *)(uintptr_t) "service", .value = (char *)(uintptr_t)service};
    s->count++;
    return 0;
}

static int add_service(const struct writing *w, struct server *server, const struct store_query *of, const char *service, struct error *e)
{
    struct selector selector; /* its matchers belong to the query */
    struct store_query q = *of;
    struct store_result r = {0};
    struct profile p;
    if (narrow(of, service, &selector))
        return error_set(e, -EINVAL, "select: more than %d conditions", SELECTOR_MAX - 1);
    q.selector = &selector;
    q.type = "cpu:ns";
    q.keep = 1; /* the sums of methods are wanted, and no tree */
    if (profile_init(&p))
        return error_set(e, -ENOMEM, "out of memory");
    int rc = store_profile(server->store, &q, &p, &r, e);
    if (!rc)
        put_service(w, service, &p, &r);
    store_result_deinit(&r);
    profile_deinit(&p);
    return rc;
}

int scrape_methods_write(FILE *out, struct server *s, const struct store_query *q, const char *const *services, uint32_t n, struct error *e)
{
    char *others = NULL;
    size_t size = 0;
    struct writing w = {.methods = out, .others = open_memstream(&others, &size), .most = (uint32_t)s->limits.top_methods};
    int rc = w.others ? 0 : error_set(e, -ENOMEM, "out of memory");
    fputs("# HELP candor_service_method_cpu CPU time of the methods that use most themselves, in the last ten minutes (cores).\n"
          "# TYPE candor_service_method_cpu gauge\n",
          out);
    for (uint32_t i = 0; !rc && i < n; i++)
        rc = add_service(&w, s, q, services[i], e);
    if (w.others && fclose(w.others) && !rc)
        rc = error_set(e, -ENOMEM, "out of memory");
    if (!rc)
        fprintf(out,
                "# HELP candor_service_other_methods_cpu CPU time of all other methods of the service, and of samples without a method "
                "(cores).\n# TYPE candor_service_other_methods_cpu gauge\n%s",
                others);
    free(others);
    return rc;
}
