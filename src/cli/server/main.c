/* candor-server: reads the command line and runs the server. */
#include "cli/cli.h"
#include "cli/server/settings.h"
#include "compress/intake.h"
#include "server/alerts/rules.h"
#include "server/pull/targets.h"
#include "server/server.h"
#include "store/objects/s3.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* args.c and print.c need this table of commands. */
const struct cli_command *const cli_commands[] = {&command_server, NULL};

/* Checks the data. backup: make them of this one before; NULL = they are there. */
static int check(const struct server_options *o, const char *backup, struct error *e)
{
    uint64_t bad;
    if (backup ? server_restore(o, backup, &bad, e) : server_check(o, &bad, e))
        return cli_fail("%s", e->text);
    if (bad)
        return cli_fail("%s: %llu files were damaged", o->data, (unsigned long long)bad);
    printf("%s: good\n", o->data);
    return cli_finish_output();
}

/* Shows how much was copied, in one line of the terminal. */
static void show_copied(uint64_t done, uint64_t all)
{
    fprintf(stderr, "\r\033[Kcopied %llu of %llu segments", (unsigned long long)done, (unsigned long long)all);
}

static int copy_store(const struct cli_args *args, const struct server_options *o, const char *to, struct error *e)
{
    uint64_t bad;
    bool terminal = isatty(STDERR_FILENO);
    if (!o->store)
        return cli_usage(args->command, "--copy-store needs --store clickhouse:URL, also for a copy whose samples are in files");
    int rc = server_copy(o, to, terminal ? show_copied : NULL, &bad, e);
    if (terminal)
        fputs("\r\033[K", stderr);
    if (rc)
        return cli_fail("%s", e->text);
    if (bad)
        return cli_fail("%s: copied, but %llu files of %s were damaged", to, (unsigned long long)bad, o->data);
    printf("%s: copied\n", to);
    return cli_finish_output();
}

/* Shows how much was copied, in one line of the terminal. */
static void show_recordings(uint64_t done, uint64_t all)
{
    fprintf(stderr, "\r\033[Kcopied %llu of %llu recordings", (unsigned long long)done, (unsigned long long)all);
}

static int copy_cold(const struct cli_args *args, const struct server_options *o, const char *to, struct error *e)
{
    struct store_cold_copied c;
    bool terminal = isatty(STDERR_FILENO);
    if (!o->cold)
        return cli_usage(args->command, "--copy-cold needs --cold, where the objects are now");
    if (!s3_is_url(to) && strcmp(to, STORE_COLD_DISK))
        return cli_usage(args->command, "--copy-cold %.100s: write s3://BUCKET/PREFIX, or " STORE_COLD_DISK, to);
    int rc = server_copy_cold(o, to, terminal ? show_recordings : NULL, &c, e);
    if (terminal)
        fputs("\r\033[K", stderr);
    if (rc)
        return cli_fail("%s", e->text);
    printf("%s: %llu recordings copied, %llu bytes; %llu were there already\n", to, (unsigned long long)c.copied,
           (unsigned long long)c.bytes, (unsigned long long)c.present);
    if (c.damaged)
        return cli_fail("%llu objects in %s are missing or damaged, and were not copied", (unsigned long long)c.damaged, o->cold);
    return cli_finish_output();
}

static int check_alerts(const char *path, struct error *e)
{
    struct alert_rules rules;
    int rc = rules_read(&rules, path, e);
    if (!rc)
        printf("%s: good, rules: %u, targets: %u\n", path, rules.count, rules.target_count);
    rules_deinit(&rules);
    return rc ? cli_fail("%s", e->text) : cli_finish_output();
}

static int check_pull(const char *path, struct error *e)
{
    struct pull_targets targets;
    if (targets_read(&targets, path, e))
        return cli_fail("%s", e->text);
    printf("%s: good, sections: %u, urls: %u\n", path, targets.count, targets.urls);
    targets_deinit(&targets);
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

/* Reads the options again, for a running server. */
static int read_again(const struct server_source *source, struct server_options *out, void **reading, struct error *e)
{
    struct settings *s = settings_new();
    int rc = s ? settings_read(s, source->context, e) : error_set(e, -ENOMEM, "out of memory");
    if (rc) {
        settings_free(s);
        return rc;
    }
    *out = s->options;
    *reading = s;
    return 0;
}

static int run(const struct cli_args *args, const struct settings *s)
{
    struct server_source source = {read_again, settings_free, args};
    const struct server_options *o = &s->options;
    const char *backup = cli_option(args, "backup"), *copy = cli_option(args, "copy-store");
    struct error e;
    intake_set_limit(s->unpacked);
    if (cli_option(args, "new-token"))
        return make_token(args, o, &e);
    if (cli_switch(args, "check") || cli_option(args, "restore"))
        return check(o, cli_option(args, "restore"), &e);
    if (copy)
        return copy_store(args, o, copy, &e);
    if (cli_option(args, "copy-cold"))
        return copy_cold(args, o, cli_option(args, "copy-cold"), &e);
    int rc = backup ? server_backup(o, backup, &e) : server_run(o, &source, &e);
    return rc ? cli_fail("%s", e.text) : CLI_OK;
}

int server_command_run(const struct cli_args *args)
{
    struct error e;
    if (cli_option(args, "check-alerts"))
        return check_alerts(cli_option(args, "check-alerts"), &e);
    if (cli_option(args, "check-pull"))
        return check_pull(cli_option(args, "check-pull"), &e);
    umask(0077); /* all that the server writes is private */
    struct settings *s = settings_new();
    int rc = s ? settings_read(s, args, &e) : error_set(&e, -ENOMEM, "out of memory");
    int status = rc ? cli_usage(args->command, "%s", e.text) : run(args, s);
    settings_free(s);
    return status;
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
