/* Writes man pages from the table of commands. */
#include "cli/manual.h"

#include <ctype.h>
#include <string.h>

/* Writes text, and escapes the characters that roff would interpret: backslash, hyphen, and a dot or quote at the start of a line. */
static void put_text(FILE *f, const char *text, size_t n)
{
    bool line_start = true;
    for (size_t i = 0; i < n; i++) {
        if (line_start && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", f);
        if (text[i] == '\\')
            fputs("\\e", f);
        else if (text[i] == '-')
            fputs("\\-", f);
        else if (text[i] == '\'')
            fputs("\\(aq", f);
        else
            fputc(text[i], f);
        line_start = text[i] == '\n';
    }
}

static void put(FILE *f, const char *text)
{
    put_text(f, text, strlen(text));
}

static void put_upper(FILE *f, const char *text)
{
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), f);
}

static void put_title(FILE *f, const char *name)
{
    fputs(".\\\" Made by 'candor help --man' from the table of commands; do not edit.\n.TH CANDOR", f);
    if (name) {
        fputs("\\-", f);
        put_upper(f, name);
    }
    fputs(" 1 \"\" \"candor " CANDOR_VERSION "\" \"Candor Manual\"\n.SH NAME\ncandor", f);
    if (name)
        fprintf(f, "\\-%s", name);
    fputs(" \\- ", f);
}

static void put_paragraphs(FILE *f, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t n = end ? (size_t)(end - text) : strlen(text);
        put_text(f, text, n);
        fputs(end ? "\n.PP\n" : "\n", f);
        text += n + (end ? 2 : 0);
    }
}

static void put_choices(FILE *f, const char *choices)
{
    while (*choices) {
        size_t n = strcspn(choices, "|");
        put_text(f, choices, n);
        choices += n;
        if (!strcmp(choices, CLI_OPEN)) {
            fputs(", and others", f);
            return;
        }
        fputs(*choices ? ", " : "", f);
        choices += *choices == '|';
    }
}

static void put_option(FILE *f, const struct cli_option *o)
{
    fputs(".TP\n", f);
    if (o->letter)
        fprintf(f, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", f);
    put(f, o->name);
    fputs("\\fR", f);
    if (o->value)
        fprintf(f, o->without ? "[=\\fI%s\\fR]" : " \\fI%s\\fR", o->value);
    fputc('\n', f);
    fputc(toupper((unsigned char)o->help[0]), f);
    put(f, o->help + 1);
    if (o->choices) {
        fputs(": ", f);
        put_choices(f, o->choices);
    }
    fputs(".\n", f);
}

/* Writes the examples. Their lines are pairs: the command, and indented below it a description. */
static void put_examples(FILE *f, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n"), blanks = strspn(text, " ");
        if (!blanks)
            fputs(".TP\n.B ", f);
        put_text(f, text + blanks, n - blanks);
        fputc('\n', f);
        text += n + (text[n] == '\n');
    }
}

static void put_see_also(FILE *f, const struct cli_command *but)
{
    fputs(".SH SEE ALSO\n", f);
    if (but)
        fputs(".BR candor (1),\n", f);
    const struct cli_command *last = NULL;
    for (size_t i = 0; cli_commands[i]; i++)
        if (cli_commands[i] != but)
            last = cli_commands[i];
    for (size_t i = 0; cli_commands[i]; i++)
        if (cli_commands[i] != but)
            fprintf(f, ".BR candor\\-%s (1)%s\n", cli_commands[i]->name, cli_commands[i] == last ? "" : ",");
}

static void put_command_page(FILE *f, const struct cli_command *c)
{
    static const struct cli_option help = {'h', "help", NULL, NULL, "print a summary of the options"};
    put_title(f, c->name);
    put(f, c->summary);
    fprintf(f, "\n.SH SYNOPSIS\n.B candor %s\n", c->name);
    if (*c->arguments) {
        put(f, c->arguments);
        fputc('\n', f);
    }
    fputs(".SH DESCRIPTION\n", f);
    if (c->about) {
        put_paragraphs(f, c->about);
    } else {
        fputc(toupper((unsigned char)c->summary[0]), f);
        put(f, c->summary + 1);
        fputs(".\n", f);
    }
    fputs(".SH OPTIONS\n", f);
    for (const struct cli_option *o = c->options; o && o->name; o++)
        put_option(f, o);
    put_option(f, &help);
    fputs(".SH EXIT STATUS\n0 success, 1 the work failed, 2 wrong usage.\n", f);
    if (c->examples) {
        fputs(".SH EXAMPLES\n", f);
        put_examples(f, c->examples);
    }
    put_see_also(f, c);
}

static void put_overview_page(FILE *f)
{
    put_title(f, NULL);
    fputs("a profiler for the JVM that shows how certain its figures are\n.SH SYNOPSIS\n.B candor\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] "
          "[\\fIARGUMENT\\fR...]\n.SH DESCRIPTION\nCandor shows where a running JVM spends its CPU time, with the uncertainty of\neach "
          "figure and an account of what it could not see.\nThe program contains the agent: the file \\fBcandor\\fR is all that you "
          "need.\n.SH COMMANDS\n",
          f);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(f, ".TP\n.BR candor\\-%s (1)\n", cli_commands[i]->name);
        put(f, cli_commands[i]->summary);
        fputc('\n', f);
    }
    fputs(".SH EXIT STATUS\n0 success, 1 the work failed, 2 wrong usage.\nAn error is one line on standard error.\n"
          ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set, output has no colors.\n.TP\n.B XDG_CACHE_HOME\nWhere the agent "
          "library is unpacked (default ~/.cache), in \\fIcandor/\\fR.\n",
          f);
    fputs(".SH EXAMPLES\n.TP\n.B candor list\nShow the JVMs on this host.\n.TP\n.B candor record \\-d 10s 4711\n"
          "Profile process 4711 for ten seconds and print where its CPU time went.\n",
          f);
    put_see_also(f, NULL);
}

void manual_print(FILE *f, const struct cli_command *command)
{
    if (command)
        put_command_page(f, command);
    else
        put_overview_page(f);
}
