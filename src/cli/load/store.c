#include "cli/load/store.h"

#include "load/link.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MOST = 1024, ELEVEN_DAYS_S = 1000000 };

bool store_is_meant(const struct cli_args *args)
{
    return cli_option(args, "driver") || (args->operand_count && drivers_have(args->operands[0]));
}

/* ---- the driver ---- */

static int read_password(const char *file, struct endpoint *p)
{
    FILE *f = fopen(file, "re");
    if (!f)
        return cli_fail("cannot read the password in %.200s: %s", file, strerror(errno));
    size_t n = fread(p->password, 1, sizeof p->password - 1, f);
    bool bad = ferror(f) || n == sizeof p->password - 1;
    fclose(f);
    p->password[bad ? 0 : n] = 0;
    p->password[strcspn(p->password, "\r\n")] = 0;
    return bad ? cli_fail("cannot read the password in %.200s, or it is longer than %zu bytes", file, sizeof p->password - 2) : CLI_OK;
}

static int set_driver(const struct cli_args *args, struct load_store *s, struct load_config *c)
{
    const char *file = cli_option(args, "driver"), *password = cli_option(args, "password-file");
    struct error e;
    if (!args->operand_count)
        return cli_usage(args->command, "the URL is missing: candor load --driver FILE [OPTION...] URL");
    if (endpoint_parse(&s->endpoint, args->operands[0], &e))
        return cli_usage(args->command, "%s", e.text);
    s->driver = file ? drivers_load(file, &e) : drivers_find(args->operands[0], &e);
    if (!s->driver)
        return cli_fail("%s", e.text);
    s->endpoint.target.insecure = cli_switch(args, "insecure");
    c->target.kind = TARGET_DRIVER;
    c->target.driver = s->driver;
    return password ? read_password(password, &s->endpoint) : CLI_OK;
}

/* ---- the workload ---- */

static int set_properties(const struct cli_args *args, struct recipe *recipe)
{
    const char *list = cli_option(args, "properties");
    char *copy = list ? strdup(list) : NULL, *next = copy;
    struct error e;
    int status = CLI_OK;
    while (next && !status) {
        char *name = strsep(&next, ","), *value = strchr(name, '=');
        if (!value)
            status = cli_usage(args->command, "--properties '%.60s' is not NAME=VALUE", name);
        else if (*value++ = 0, recipe_set(recipe, name, value, &e))
            status = cli_usage(args->command, "%s", e.text);
    }
    free(copy);
    return status;
}

/* The types of requests: those of the workload with a proportion above 0, or the insert alone in the phase that fills the table. */
static int set_types(struct load_store *s, struct load_config *c, bool loading)
{
    char list[512] = "";
    struct error e;
    uint32_t types = 0;
    size_t n = 0;
    for (int i = 0; i < WORKLOAD_ACTIONS; i++) {
        double weight = loading ? i == WORKLOAD_INSERT : s->recipe.proportions[i];
        if (weight <= 0)
            continue;
        s->workload.actions[types++] = (enum workload_action)i;
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s=%.17g", n ? "," : "", workload_action_names[i], weight);
    }
    return mix_parse(&c->mix, list, "/", &e) ? cli_fail("%s", e.text) : CLI_OK;
}

static int check_actions(const struct cli_args *args, const struct load_store *s)
{
    static const int needed[WORKLOAD_ACTIONS] = {CANDOR_LOAD_READ, CANDOR_LOAD_UPDATE, CANDOR_LOAD_INSERT, CANDOR_LOAD_SCAN,
                                                 CANDOR_LOAD_UPDATE};
    for (int i = 0; i < WORKLOAD_ACTIONS; i++)
        if (s->recipe.proportions[i] > 0 && !(s->driver->actions & 1u << needed[i]))
            return cli_usage(args->command, "%s has no %s; choose a workload without it", s->driver->name, workload_action_names[i]);
    return CLI_OK;
}

static int set_workload(const struct cli_args *args, struct load_store *s, struct load_config *c)
{
    const char *phase = cli_option(args, "phase");
    bool loading = phase && !strcmp(phase, "load");
    struct error e;
    uint32_t seed;
    int status = cli_number(args, "seed", 1, &seed);
    if (!status && recipe_read(&s->recipe, cli_option(args, "workload"), &e))
        status = cli_fail("%s", e.text);
    if (!status)
        status = set_properties(args, &s->recipe);
    if (!status && recipe_check(&s->recipe, &e))
        status = cli_usage(args->command, "%s", e.text);
    if (!status && !loading)
        status = check_actions(args, s);
    if (status)
        return status;
    s->has_workload = true;
    if (workload_init(&s->workload, &s->recipe, seed, loading))
        return cli_fail("no memory for the workload");
    s->workload.share = c->share, s->workload.shares = c->shares;
    s->endpoint.target.table = s->recipe.table;
    s->endpoint.target.fields = s->recipe.fields;
    s->endpoint.target.create = loading && !c->share; /* the first of several generators connects before the others */
    c->target.workload = &s->workload;
    c->requests_most = loading ? s->recipe.insert_count : s->recipe.operations;
    if (c->requests_most && !cli_option(args, "duration"))
        c->duration = ELEVEN_DAYS_S * UINT64_C(1000000000);
    return set_types(s, c, loading);
}

int store_set(const struct cli_args *args, struct load_store *s, struct load_config *c)
{
    int status = cli_number(args, "in-flight", 1, &c->places);
    if (!status && (!c->places || c->places > PLACES_MOST))
        status = cli_usage(args->command, "--in-flight must be a number from 1 to %d", PLACES_MOST);
    if (!status)
        status = set_driver(args, s, c);
    if (!status && cli_option(args, "workload"))
        return set_workload(args, s, c);
    if (!status && cli_option(args, "phase"))
        return cli_usage(args->command, "--phase needs --workload");
    if (!status && !(s->driver->actions & 1u << CANDOR_LOAD_CALL))
        return cli_usage(args->command, "%s needs --workload: a letter from a to f, ops(...), or a property file", s->driver->name);
    return status;
}

/* ---- the connection ---- */

int store_connect(struct load_store *s)
{
    struct error e = {""};
    s->target = s->driver->open(&s->endpoint.target, e.text, sizeof e.text);
    if (!s->target)
        return cli_fail("%s", *e.text ? e.text : "the driver cannot be set up");
    char shown[320]; /* the URL, but not its login */
    snprintf(shown, sizeof shown, "%s://%s%s%s", s->endpoint.scheme, s->endpoint.host, *s->endpoint.port ? ":" : "", s->endpoint.port);
    if (link_probe(s->driver, s->target, shown, &e))
        return cli_fail("%s", e.text);
    s->endpoint.target.create = false; /* the first connection has done it */
    return CLI_OK;
}

void store_deinit(struct load_store *s)
{
    if (s->target)
        s->driver->close(s->target);
    if (s->has_workload)
        workload_deinit(&s->workload);
}
