/* candor: finds the row of the table of commands for a command line, and runs it. */
#include "base/text/units.h"
#include "cli/cli.h"
#include "commit.h"
#include "compress/intake.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int version_run(const struct cli_args *args)
{
    (void)args;
    printf("candor " CANDOR_VERSION "%s%s%s\n", *CANDOR_COMMIT ? " (" : "", CANDOR_COMMIT, *CANDOR_COMMIT ? ")" : "");
    return cli_finish_output();
}

const struct cli_command command_version = {
    .name = "version",
    .arguments = "",
    .summary = "print the version",
    .run = version_run,
};

const struct cli_command *const cli_commands[] = {
    &command_list,   &command_doctor,  &command_record,  &command_top,      &command_start,      &command_stop,    &command_dump,
    &command_status, &command_report,  &command_analyze, &command_diagnose, &command_asm,        &command_diff,    &command_trace,
    &command_print,  &command_summary, &command_convert, &command_scrub,    &command_verify,     &command_daemon,  &command_server,
    &command_fleet,  &command_load,    &command_hist,    &command_help,     &command_completion, &command_version, NULL,
};

const struct cli_command *cli_find(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (!strcmp(cli_commands[i]->name, name))
            return cli_commands[i];
    return NULL;
}

static const char *command_name_at(const void *context, size_t i)
{
    (void)context;
    return cli_commands[i] ? cli_commands[i]->name : NULL;
}

static int unknown_command(const char *typed)
{
    const char *near = cli_nearest(typed, command_name_at, NULL);
    if (near)
        return cli_usage(NULL, "no command '%.60s'; did you mean '%s'?", typed, near);
    return cli_usage(NULL, "no command '%.60s'", typed);
}

static int limit_unpacking(const struct cli_args *args)
{
    const char *text = cli_option(args, "max-unpacked");
    uint64_t bytes = 0;
    if (text && (units_parse_size(text, &bytes) || !bytes))
        return cli_usage(args->command, "--max-unpacked must be a size like 500M or 20G, not '%.60s'", text);
    intake_set_limit(bytes);
    return CLI_OK;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_args args;
    int status = cli_parse(command, argc, argv, &args);
    if (status < 0)
        return help_print(command, status == CLI_HELP_ALL);
    if (!status)
        status = limit_unpacking(&args);
    return status ? status : command->run(&args);
}

int main(int argc, char **argv)
{
    /* If the reader of the output goes away (`candor report FILE | head`), this is an ordinary write error, not a death by signal. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* reaching a limit of the file size is a write error, too: the unfinished file is removed */
    if (argc < 2)
        return cli_usage(NULL, "no command given; 'candor list' shows the JVMs, and 'candor record PID' profiles one");
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    else if (!strcmp(name, "--version") || !strcmp(name, "-V"))
        name = "version";
    const struct cli_command *command = cli_find(name);
    if (!command)
        return unknown_command(name);
    return run(command, argc - 1, argv + 1);
}
