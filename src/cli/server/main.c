/* candor-server: reads the command line and runs the server. */
#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "cli/cli.h"
#include "compress/intake.h"
#include "server/request/origin.h"
#include "server/server.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* args.c and print.c need this table of commands. */
const struct cli_command *const cli_commands[] = {&command_server, NULL};

static int read_size(const struct cli_args *args, const char *name, uint64_t otherwise, uint64_t *bytes)
{
    const char *text = cli_option(args, name);
    *bytes = otherwise;
    if (text && (units_parse_size(text, bytes) || !*bytes))
        return cli_usage(args->command, "--%s must be a size like 500M or 20G, not '%.60s'", name, text);
    return CLI_OK;
}

/* Reads a size, or a share of `whole` such as "20%". 0 if the option is not given. */
static int read_share(const struct cli_args *args, const char *name, uint64_t whole, uint64_t *bytes)
{
    const char *text = cli_option(args, name);
    const char *end = text;
    uint64_t percent;
    *bytes = 0;
    if (!text)
        return CLI_OK;
    if (!number_take(&end, 10, 1, 100, &percent) && !strcmp(end, "%"))
        *bytes = whole / 100 * percent;
    else if (units_parse_size(text, bytes))
        *bytes = 0;
    return *bytes ? CLI_OK
                  : cli_usage(args->command, "--%s must be a size like 500M, or a share of --max-disk like 20%%, not '%.60s'", name, text);
}

/* Reads how long data is kept, and how much of it. */
static int read_retention(const struct cli_args *args, struct server_options *o)
{
    unsigned long long retain, recordings;
    int status = cli_duration(args, "retain", 7ull * 86400 * NS_PER_S, &retain);
    status = status ? status : cli_duration(args, "retain-recordings", 0, &recordings);
    status = status ? status : read_size(args, "max-disk", 10ull << 30, &o->max_disk);
    status = status ? status : read_share(args, "max-recordings", o->max_disk, &o->max_raw);
    status = status ? status : read_share(args, "max-disk-per-service", o->max_disk, &o->max_service);
    if (status)
        return status;
    o->retain_s = retain / NS_PER_S;
    o->retain_raw_s = recordings / NS_PER_S;
    if (o->retain_s < 60)
        return cli_usage(args->command, "--retain below 1m keeps nothing");
    if (cli_option(args, "retain-recordings") && (o->retain_raw_s < 60 || o->retain_raw_s > o->retain_s))
        return cli_usage(args->command, "--retain-recordings is at least 1m, and at most --retain");
    return CLI_OK;
}

static int read_count(const struct cli_args *args, const char *name, uint32_t otherwise, uint32_t *out)
{
    int status = cli_number(args, name, otherwise, out);
    return status || *out ? status : cli_usage(args->command, "--%s 0 would refuse every connection", name);
}

/* Reads the address: "HOST:PORT", "[::1]:PORT" or ":PORT". */
static int read_listen(const struct cli_args *args, struct server_options *o, char *copy, size_t size)
{
    const char *text = cli_option(args, "listen");
    snprintf(copy, size, "%s", text ? text : "127.0.0.1:4041");
    char *colon = strrchr(copy, ':');
    uint64_t port;
    if (!colon || number_parse(colon + 1, 0, UINT16_MAX, &port))
        return cli_usage(args->command, "--listen '%.60s' is not HOST:PORT", text);
    *colon = 0;
    if (*copy == '[' && colon[-1] == ']') {
        colon[-1] = 0;
        copy++;
    }
    o->host = copy;
    o->port = colon + 1;
    return CLI_OK;
}

/* Finds the default folder, ~/.local/share/candor/server, and creates it with the folders above it. */
static int default_data(char *path, size_t size)
{
    const char *share = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if ((!share || !*share) && (!home || !*home))
        return cli_fail("neither HOME nor XDG_DATA_HOME is set: give the folder with --data");
    snprintf(path, size, "%s%s/candor/server", share && *share ? share : home, share && *share ? "" : "/.local/share");
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    return CLI_OK;
}

static int read_limits(const struct cli_args *args, struct server_options *o)
{
    unsigned long long patience = 0;
    int status = read_size(args, "max-body", 64ull << 20, &o->max_body);
    status = status ? status : read_size(args, "max-answer", 256ull << 20, &o->max_answer);
    status = status ? status : read_count(args, "max-connections", SERVER_CONNECTIONS, &o->connections);
    status = status ? status : read_count(args, "max-connections-per-address", SERVER_CONNECTIONS_OF_ONE, &o->connections_of_one);
    status = status ? status : cli_duration(args, "client-timeout", SERVER_PATIENCE_S * NS_PER_S, &patience);
    if (!status && patience < NS_PER_S)
        status = cli_usage(args->command, "--client-timeout below 1s leaves clients no time");
    o->patience_ns = patience;
    return status;
}

static int read_options(const struct cli_args *args, struct server_options *o, char *data, size_t size)
{
    struct error e;
    const char *path = cli_option(args, "data");
    int status = read_retention(args, o);
    status = status ? status : read_limits(args, o);
    o->token_file = cli_option(args, "token-file");
    o->no_auth = cli_switch(args, "no-auth");
    o->origin = cli_option(args, "origin");
    o->certificate = cli_option(args, "tls-cert");
    o->key = cli_option(args, "tls-key");
    if (!status && !o->certificate != !o->key)
        status = cli_usage(args->command, "--tls-cert and --tls-key go together");
    if (!status && o->origin && origin_check(o->origin, &e))
        status = cli_usage(args->command, "%s", e.text);
    if (!status && o->no_auth && o->token_file)
        status = cli_usage(args->command, "--no-auth and --token-file exclude each other");
    if (!status && path && !*path)
        status = cli_usage(args->command, "--data is empty");
    if (!status && path)
        snprintf(data, size, "%s", path);
    else if (!status)
        status = default_data(data, size);
    o->data = data;
    return status;
}

static int check(const struct server_options *o, struct error *e)
{
    uint64_t bad;
    if (server_check(o, &bad, e))
        return cli_fail("%s", e->text);
    if (bad)
        return cli_fail("%s: %llu files were damaged", o->data, (unsigned long long)bad);
    printf("%s: good\n", o->data);
    return cli_finish_output();
}

static int make_token(const struct cli_args *args, const struct server_options *o, struct error *e)
{
    if (!o->token_file)
        return cli_usage(args->command, "--new-token needs --token-file, the file to which the token is added");
    int rc = tokens_make(o->token_file, cli_option(args, "new-token"), e);
    if (rc == -EINVAL)
        return cli_usage(args->command, "%s", e->text);
    return rc ? cli_fail("%s", e->text) : cli_finish_output();
}

int server_command_run(const struct cli_args *args)
{
    struct server_options o = {0};
    struct error e;
    char data[2048], address[300];
    uint64_t unpacked;
    int status = read_options(args, &o, data, sizeof data);
    status = status ? status : read_listen(args, &o, address, sizeof address);
    status = status ? status : read_size(args, "max-unpacked", 1ull << 30, &unpacked);
    if (status)
        return status;
    intake_set_limit(unpacked);
    if (cli_option(args, "new-token"))
        return make_token(args, &o, &e);
    if (cli_switch(args, "check"))
        return check(&o, &e);
    const char *backup = cli_option(args, "backup");
    int rc = backup ? server_backup(&o, backup, &e) : server_run(&o, &e);
    return rc ? cli_fail("%s", e.text) : CLI_OK;
}

int main(int argc, char **argv)
{
    struct cli_args args;
    int status = cli_parse(&command_server, argc, argv, &args);
    if (status < 0) {
        puts("candor-server is started by 'candor server'; see 'candor help server'");
        return cli_finish_output();
    }
    return status ? status : command_server.run(&args);
}
