/* candor help [COMMAND]: prints the table of commands for people, and with --man as source of man pages. */
#include "cli/cli.h"
#include "cli/manual.h"

#include <limits.h>
#include <string.h>

static const struct cli_option options[] = {
    {0, "all", NULL, NULL, "print everything about the command, not only what most users need"},
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

enum { COLUMNS = 80, HELP_COLUMN = 29, BRIEF_EXAMPLES = 3 };

/* Returns the length of the next word. A list of choices that is too long for a line ends after one of its bars. */
static int word_length(const char *text, int room)
{
    int length = (int)strcspn(text, " \n");
    for (int i = room; length > room && i > 0; i--)
        if (text[i - 1] == '|')
            length = i;
    return length;
}

/* Prints up to `n` bytes of text in lines of 80 columns; all lines after the first are indented. The tables have their texts as plain
 * paragraphs without line breaks. */
static void print_wrapped(FILE *f, const char *text, size_t n, int column, int indent)
{
    const char *end = text + n;
    bool begins = true;
    while (text < end) {
        if (text[0] == '\n' && text[1] == '\n') {
            fputs("\n\n", f);
            column = indent;
            begins = true;
            text += 2;
            continue;
        }
        int length = word_length(text, COLUMNS - indent);
        if (!begins && column + 1 + length > COLUMNS) {
            fprintf(f, "\n%*s", indent, "");
            column = indent;
            begins = true;
        }
        column += fprintf(f, "%s%.*s", begins || text[-1] == '|' ? "" : " ", length, text);
        begins = false;
        text += length;
        text += *text == ' ' || (text[0] == '\n' && text[1] != '\n');
    }
    fputc('\n', f);
}

static void print_option(FILE *f, const struct cli_option *o)
{
    char left[64], right[1024], letter[] = {'-', o->letter, ',', ' ', 0};
    snprintf(left, sizeof left, "%s--%s%s%s%s", o->letter ? letter : "    ", o->name,
             o->without ? "[="
             : o->value ? " "
                        : "",
             o->value ? o->value : "", o->without ? "]" : "");
    snprintf(right, sizeof right, "%s%s%s", o->help, o->choices ? ": " : "", o->choices ? o->choices : "");
    int column = fprintf(f, "  %-26s ", left);
    print_wrapped(f, right, strlen(right), column, HELP_COLUMN);
}

/* Prints the examples, at most `most` of them. An example is a command, and a line that begins with blanks and says what it does. */
static void print_examples(FILE *f, const char *text, int most)
{
    fputs("\nexamples:\n", f);
    for (int shown = 0; *text;) {
        size_t n = strcspn(text, "\n");
        if (*text != ' ' && shown++ == most)
            break;
        fprintf(f, "  %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static bool is_in_list(const char *list, const char *name)
{
    size_t n = strlen(name);
    while (*list) {
        size_t length = strcspn(list, ",");
        if (length == n && !memcmp(list, name, n))
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}

/* Prints the options, or only those that most users need. Returns how many are left out. */
static int print_options(FILE *f, const struct cli_command *c, bool all)
{
    int left_out = 0;
    for (const struct cli_option *o = c->options; o && o->name; o++) {
        bool shown = all || is_in_list(c->often, o->name);
        if (shown)
            print_option(f, o);
        left_out += !shown;
    }
    return left_out;
}

static void print_command(FILE *f, const struct cli_command *c, bool all)
{
    static const struct cli_option help = {'h', "help", NULL, NULL, "print this"};
    static const struct cli_option more = {
        .letter = 'h', .name = "help", .value = "all", .help = "print this, or everything", .without = ""};
    all = all || !c->often;
    fprintf(f, "usage: candor %s%s%s\n\ncandor %s: %s\n", c->name, *c->arguments ? " " : "", c->arguments, c->name, c->summary);
    if (c->about) {
        const char *end = all ? NULL : strstr(c->about, "\n\n");
        fputc('\n', f);
        print_wrapped(f, c->about, end ? (size_t)(end - c->about) : strlen(c->about), 0, 0);
    }
    fputc('\n', f);
    int left_out = print_options(f, c, all);
    print_option(f, c->often ? &more : &help);
    if (c->examples)
        print_examples(f, c->examples, all ? INT_MAX : BRIEF_EXAMPLES);
    if (left_out)
        fprintf(f, "\n%d more options, and all about them: candor help %s --all\n", left_out, c->name);
}

int help_print(const struct cli_command *command, bool all)
{
    print_command(stdout, command, all);
    return cli_finish_output();
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
        print_command(stdout, c, cli_switch(args, "all"));
    else
        print_overview(stdout);
    return cli_finish_output();
}

const struct cli_command command_help = {
    .name = "help",
    .arguments = "[--all | --man] [COMMAND]",
    .summary = "explain candor or one of its commands",
    .options = options,
    .operand = CLI_COMMAND_NAME,
    .operands_max = 1,
    .run = help_run,
};
