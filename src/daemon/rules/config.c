#include "daemon/rules/config.h"

#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "base/ini.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_JVMS = 1000 };

void config_init(struct config *c)
{
    *c = (struct config){.spool_max = (uint64_t)1 << 30, .max_jvms = 100, .on_demand = true, .on_demand_max = 6};
    settings_init(&c->settings);
    c->chunk_ns = 30 * NS_PER_S;
    c->look_ns = 5 * NS_PER_S;
    c->min_age_ns = 5 * NS_PER_S;
    c->timeout_ns = 10 * NS_PER_S;
    if (gethostname(c->host, sizeof c->host - 1) || !*c->host)
        snprintf(c->host, sizeof c->host, "localhost");
}

void config_deinit(struct config *c)
{
    policy_deinit(&c->policy);
}

static int set_text(char *out, size_t size, const char *key, const char *value, struct error *e)
{
    if (!*value || (size_t)snprintf(out, size, "%s", value) >= size)
        return error_set(e, -EINVAL, "%s is %s", key, *value ? "too long" : "empty");
    return 0;
}

static int set_duration(uint64_t *out, const char *key, const char *value, uint64_t least, uint64_t most, struct error *e)
{
    if (units_parse_duration(value, out) || *out < least || *out > most)
        return error_set(e, -EINVAL, "%s '%.40s': use a duration from %us to %us", key, value, (unsigned)(least / NS_PER_S),
                         (unsigned)(most / NS_PER_S));
    return 0;
}

static int set_size(uint64_t *out, const char *key, const char *value, struct error *e)
{
    char text[40];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", value);
    if (n > 1 && n < sizeof text && text[n - 1] == 'B') /* 1GB means 1G */
        text[n - 1] = 0;
    if (n >= sizeof text || units_parse_size(text, out) || *out < 1 << 20)
        return error_set(e, -EINVAL, "%s '%.40s': use a size such as 500M or 2G, at least 1M", key, value);
    return 0;
}

static int set_number(uint32_t *out, const char *key, const char *value, uint32_t most, struct error *e)
{
    uint64_t n;
    if (number_parse(value, 1, most, &n))
        return error_set(e, -EINVAL, "%s '%.40s': use a number from 1 to %u", key, value, most);
    *out = (uint32_t)n;
    return 0;
}

static int set_switch(bool *out, const char *key, const char *value, struct error *e)
{
    *out = !strcmp(value, "yes");
    return *out || !strcmp(value, "no") ? 0 : error_set(e, -EINVAL, "%s '%.40s': use yes or no", key, value);
}

/* Sets the server. `server` must be a Candor server; for `to`, the scheme of the address names the protocol. */
static int set_target(struct config *c, const char *key, const char *value, struct error *e)
{
    struct error why;
    int code = emit_target_read(&c->target, value, &why);
    if (!code && !strcmp(key, "server") && c->target.protocol != EMIT_CANDOR)
        return error_set(e, -EINVAL, "server '%.100s' is not a candor server; for another back end use 'to'", value);
    if (code)
        return error_set(e, code, "%s %s", key, why.text);
    static const char *const prefixes[] = {[EMIT_CANDOR] = "", [EMIT_OTLP] = "otlp+", [EMIT_PYROSCOPE] = "pyroscope+"};
    snprintf(c->server, sizeof c->server, "%s%s", prefixes[c->target.protocol], c->target.base);
    return 0;
}

int config_set(struct config *c, const char *key, const char *value, struct error *e)
{
    if (!strcmp(key, "server") || !strcmp(key, "to"))
        return set_target(c, key, value, e);
    if (!strcmp(key, "token-file"))
        return set_text(c->token_file, sizeof c->token_file, key, value, e);
    if (!strcmp(key, "ca-file"))
        return set_text(c->ca_file, sizeof c->ca_file, key, value, e);
    if (!strcmp(key, "cert-file"))
        return set_text(c->cert_file, sizeof c->cert_file, key, value, e);
    if (!strcmp(key, "key-file"))
        return set_text(c->key_file, sizeof c->key_file, key, value, e);
    if (!strcmp(key, "spool"))
        return set_text(c->spool, sizeof c->spool, key, value, e);
    if (!strcmp(key, "metrics-file"))
        return set_text(c->metrics_file, sizeof c->metrics_file, key, value, e);
    if (!strcmp(key, "host"))
        return set_text(c->host, sizeof c->host, key, value, e);
    if (!strcmp(key, "spool-max"))
        return set_size(&c->spool_max, key, value, e);
    if (!strcmp(key, "chunk"))
        return set_duration(&c->chunk_ns, key, value, NS_PER_S, 600 * NS_PER_S, e);
    if (!strcmp(key, "look"))
        return set_duration(&c->look_ns, key, value, NS_PER_S, 600 * NS_PER_S, e);
    if (!strcmp(key, "min-age"))
        return set_duration(&c->min_age_ns, key, value, 0, 3600 * NS_PER_S, e);
    if (!strcmp(key, "timeout"))
        return set_duration(&c->timeout_ns, key, value, NS_PER_S, 60 * NS_PER_S, e);
    if (!strcmp(key, "max-jvms"))
        return set_number(&c->max_jvms, key, value, MAX_JVMS, e);
    if (!strcmp(key, "on-demand"))
        return set_switch(&c->on_demand, key, value, e);
    if (!strcmp(key, "on-demand-max"))
        return set_number(&c->on_demand_max, key, value, DEMAND_PER_HOUR_MAX, e);
    int code = settings_set(&c->settings, key, value, e);
    if (code != -ENOENT)
        return code;
    return error_set(e, -ENOENT,
                     "no key '%.60s' in [daemon]; known are server, to, token-file, ca-file, cert-file, key-file, spool, spool-max, "
                     "metrics-file, host, chunk, "
                     "look, min-age, timeout, max-jvms, on-demand, on-demand-max, " SETTINGS_NAMES,
                     key);
}

static int take(void *context, const char *section, const char *key, const char *value, struct error *e)
{
    struct config *c = context;
    bool is_rule = !strncmp(section, "jvm ", 4) || !strcmp(section, "jvm");
    if (!key && is_rule)
        return policy_add_rule(&c->policy, section[3] ? section + 4 : "jvm", e);
    if (!key)
        return !strcmp(section, "daemon") ? 0 : error_set(e, -EINVAL, "no section [%.60s]; use [daemon] or [jvm NAME]", section);
    if (is_rule)
        return policy_set(&c->policy, key, value, e);
    if (!*section)
        return error_set(e, -EINVAL, "'%.60s' comes before the first section; begin with [daemon]", key);
    return config_set(c, key, value, e);
}

int config_read(struct config *c, const char *path, struct error *e)
{
    return ini_read(path, take, c, e);
}

static int default_spool(struct config *c, struct error *e)
{
    const char *state = getenv("STATE_DIRECTORY"), *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/') /* set by systemd for the unit */
        snprintf(c->spool, sizeof c->spool, "%s", state);
    else if (geteuid() == 0)
        snprintf(c->spool, sizeof c->spool, "/var/lib/candor-daemon");
    else if (xdg && *xdg == '/')
        snprintf(c->spool, sizeof c->spool, "%s/candor-daemon", xdg);
    else if (home && *home == '/')
        snprintf(c->spool, sizeof c->spool, "%s/.local/state/candor-daemon", home);
    else
        return error_set(e, -EINVAL, "no folder for the spool: HOME is not set; give one with --spool");
    return 0;
}

int config_finish(struct config *c, bool needs_server, struct error *e)
{
    if (needs_server && !*c->server)
        return error_set(e, -EINVAL,
                         "no server to send to; give it with --server or --to, or in the section [daemon] of the --config file");
    if (!*c->cert_file != !*c->key_file)
        return error_set(e, -EINVAL, "cert-file and key-file go together: the daemon's certificate, and its private key");
    return *c->spool ? 0 : default_spool(c, e);
}
