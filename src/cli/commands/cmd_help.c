/* candor help [COMMAND]: prints the table of commands for people, and with --man as source of man pages. */
#include "cli/cli.h"
#include "cli/manual.h"

#include <string.h>

static const struct cli_option options[] = {
    {0, "man", NULL, NULL, "print the man page's source (roff) instead"},
    {0},
};

static void print_overview(FILE *f)
{
    bool colour = cli_colour(f);
    const char *bold = colour ? "\033[1m" : "", *off = colour ? "\033[m" : "";
    fprintf(f, "Candor shows where a running JVM spends its CPU time, and how certain that is.\n\n");
    fprintf(f, "usage: candor COMMAND [OPTION...] [ARGUMENT...]\n\n");
    for (size_t i = 0; cli_commands[i]; i++)
        fprintf(f, "  %s%-11s%s %s\n", bold, cli_commands[i]->name, off, cli_commands[i]->summary);
    fprintf(f, "\n"
               "Try 'candor record -d 10s PID', and 'candor help COMMAND' for the options of a command.\n"
               "Exit status: 0 success, 1 the work failed, 2 wrong usage.\n");
}

static void print_option(FILE *f, const struct cli_option *o)
{
    char left[64], letter[] = {'-', o->letter, ',', ' ', 0};
    snprintf(left, sizeof left, "%s--%s%s%s%s", o->letter ? letter : "    ", o->name,
             o->without ? "[="
             : o->value ? " "
                        : "",
             o->value ? o->value : "", o->without ? "]" : "");
    fprintf(f, "  %-26s %s", left, o->help);
    if (o->choices)
        fprintf(f, ": %s", o->choices);
    fputc('\n', f);
}

/* Prints text in lines of 80 columns. The table has its texts as plain paragraphs without line breaks. */
static void print_wrapped(FILE *f, const char *text)
{
    int column = 0;
    while (*text) {
        if (text[0] == '\n' && text[1] == '\n') {
            fputs("\n\n", f);
            column = 0;
            text += 2;
            continue;
        }
        int n = (int)strcspn(text, " \n");
        if (column && column + 1 + n > 80) {
            fputc('\n', f);
            column = 0;
        }
        column += fprintf(f, "%s%.*s", column ? " " : "", n, text);
        text += n;
        text += *text == ' ' || (text[0] == '\n' && text[1] != '\n');
    }
    fputc('\n', f);
}

static void print_examples(FILE *f, const char *text)
{
    fputs("\nexamples:\n", f);
    while (*text) {
        size_t n = strcspn(text, "\n");
        fprintf(f, "  %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static void print_command(FILE *f, const struct cli_command *c)
{
    static const struct cli_option help = {'h', "help", NULL, NULL, "print this"};
    fprintf(f, "usage: candor %s%s%s\n\ncandor %s: %s\n", c->name, *c->arguments ? " " : "", c->arguments, c->name, c->summary);
    if (c->about) {
        fputc('\n', f);
        print_wrapped(f, c->about);
    }
    fputc('\n', f);
    for (const struct cli_option *o = c->options; o && o->name; o++)
        print_option(f, o);
    print_option(f, &help);
    if (c->examples)
        print_examples(f, c->examples);
}

static int help_run(const struct cli_args *args)
{
    const struct cli_command *c = NULL;
    if (args->operand_count) {
        c = cli_find(args->operands[0]);
        if (!c)
            return cli_usage(NULL, "no command '%.60s'", args->operands[0]);
    }
    if (cli_switch(args, "man"))
        manual_print(stdout, c);
    else if (c)
        print_command(stdout, c);
    else
        print_overview(stdout);
    return cli_finish_output();
}

const struct cli_command command_help = {
    .name = "help",
    .arguments = "[--man] [COMMAND]",
    .summary = "explain candor or one of its commands",
    .options = options,
    .operand = CLI_COMMAND_NAME,
    .operands_max = 1,
    .run = help_run,
};
