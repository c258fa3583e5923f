/* candor completion SHELL: prints a completion script made from the table of commands. */
#include "cli/cli.h"

#include <string.h>

static void put_words(FILE *f, const char *choices)
{
    for (; *choices && strcmp(choices, CLI_OPEN); choices++)
        fputc(*choices == '|' ? ' ' : *choices, f);
}

static void put_command_names(FILE *f)
{
    for (size_t i = 0; cli_commands[i]; i++)
        fprintf(f, "%s%s", i ? " " : "", cli_commands[i]->name);
}

/* Returns the shell words that print the candidates for the operand; empty = file names. */
static const char *operand_words(enum cli_operand operand)
{
    switch (operand) {
    case CLI_PROCESS:
        return "$(candor list --pids 2>/dev/null)";
    case CLI_CASE:
        return "$(candor verify --list 2>/dev/null | cut -d' ' -f1)";
    case CLI_SHELL:
        return "bash zsh fish";
    case CLI_COMMAND_NAME:
    case CLI_FILE:
    case CLI_NOTHING:
        break;
    }
    return "";
}

/* Whether the option's value is a list of words separated by commas. */
static bool is_list(const struct cli_option *o)
{
    return o->value && !strcmp(o->value, "LIST");
}

/* Whether completion must expect a value. An option that may be given without a value is completed as if it had none. */
static bool wants_value(const struct cli_option *o)
{
    return o->value && !o->without;
}

static void put_bash_values(FILE *f, const struct cli_command *c)
{
    for (const struct cli_option *o = c->options; o && o->name; o++) {
        if (!wants_value(o))
            continue;
        fprintf(f, "        %s,--%s", c->name, o->name);
        if (o->letter)
            fprintf(f, "|%s,-%c", c->name, o->letter);
        if (o->choices) {
            fputs(") words='", f);
            put_words(f, o->choices);
            fputs(is_list(o) ? "'; [[ $word == *,* ]] && prefix=${word%,*}, ;;\n" : "' ;;\n", f);
        } else {
            fprintf(f, ") files=%d; words=; value=1 ;;\n", !strcmp(o->value, "FILE"));
        }
    }
}

static void put_bash_command(FILE *f, const struct cli_command *c)
{
    fprintf(f, "        %s) options='", c->name);
    for (const struct cli_option *o = c->options; o && o->name; o++)
        fprintf(f, "--%s ", o->name);
    fputs("--help'; operands=\"", f);
    if (c->operand == CLI_COMMAND_NAME)
        put_command_names(f);
    else
        fputs(operand_words(c->operand), f);
    fprintf(f, "\"; files=%d ;;\n", c->operand == CLI_FILE);
}

static void print_bash(FILE *f)
{
    fputs("# bash completion for candor; to use it: source <(candor completion bash)\n"
          "_candor()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
          "    local options= operands= words= prefix= files=0 value=0\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        COMPREPLY=($(compgen -W '",
          f);
    put_command_names(f);
    fputs("' -- \"$word\"))\n        return\n    fi\n    case $command in\n", f);
    for (size_t i = 0; cli_commands[i]; i++)
        put_bash_command(f, cli_commands[i]);
    fputs("    esac\n    case $command,$before in\n", f);
    for (size_t i = 0; cli_commands[i]; i++)
        put_bash_values(f, cli_commands[i]);
    fputs("        *)\n            words=$operands\n            [[ $word == -* ]] && words=$options ;;\n"
          "    esac\n"
          "    COMPREPLY=($(compgen -P \"$prefix\" -W \"$words\" -- \"${word#\"$prefix\"}\"))\n"
          "    if ((files)) && [[ $word != -* || value -eq 1 ]]; then\n"
          "        COMPREPLY+=($(compgen -f -- \"$word\"))\n"
          "    fi\n}\ncomplete -o filenames -F _candor candor\n",
          f);
}

/* Writes a help text for single quotes. In zsh's _arguments, brackets and colons are also special. */
static void put_quoted(FILE *f, const char *text, bool zsh)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs(zsh ? "'\\''" : "\\'", f);
        else if (zsh && strchr("[]:\\", *text))
            fprintf(f, "\\%c", *text);
        else if (!zsh && *text == '\\')
            fputs("\\\\", f);
        else
            fputc(*text, f);
    }
}

static void put_zsh_option(FILE *f, const struct cli_option *o)
{
    if (o->letter)
        fprintf(f, "            '(-%c --%s)'{-%c,--%s}'", o->letter, o->name, o->letter, o->name);
    else
        fprintf(f, "            '--%s", o->name);
    fputc('[', f);
    put_quoted(f, o->help, true);
    fputc(']', f);
    if (o->value && o->choices) {
        fprintf(f, is_list(o) ? ":%s:_sequence compadd - " : ":%s:(", o->value);
        put_words(f, o->choices);
        fputs(is_list(o) ? "" : ")", f);
    } else if (wants_value(o)) {
        fprintf(f, ":%s:%s", o->value, strcmp(o->value, "FILE") ? "" : "_files");
    }
    fputs("' \\\n", f);
}

static void put_zsh_command(FILE *f, const struct cli_command *c)
{
    fprintf(f, "        %s) _arguments \\\n", c->name);
    for (const struct cli_option *o = c->options; o && o->name; o++)
        put_zsh_option(f, o);
    fputs("            '(-h --help)'{-h,--help}'[print a summary of the options]' \\\n            ", f);
    if (c->operand == CLI_FILE) {
        fputs("'*:file:_files'", f);
    } else if (c->operand == CLI_NOTHING) {
        fputs("'*:'", f);
    } else {
        fputs("\"*:argument:(", f);
        if (c->operand == CLI_COMMAND_NAME)
            put_command_names(f);
        else
            fputs(operand_words(c->operand), f);
        fputs(")\"", f);
    }
    fputs(" ;;\n", f);
}

static void print_zsh(FILE *f)
{
    fputs("#compdef candor\n# zsh completion for candor; to use it: source <(candor completion zsh)\n"
          "_candor()\n{\n    local -a commands=(\n",
          f);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(f, "        '%s:", cli_commands[i]->name);
        put_quoted(f, cli_commands[i]->summary, true);
        fputs("'\n", f);
    }
    fputs("    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
          "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n",
          f);
    for (size_t i = 0; cli_commands[i]; i++)
        put_zsh_command(f, cli_commands[i]);
    fputs("    esac\n}\ncompdef _candor candor\n", f);
}

static void put_fish_option(FILE *f, const struct cli_command *c, const struct cli_option *o)
{
    fprintf(f, "complete -c candor -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
    if (o->letter)
        fprintf(f, " -s %c", o->letter);
    if (o->choices) {
        fputs(is_list(o) ? " -x -a '(__fish_append , " : " -x -a '", f);
        put_words(f, o->choices);
        fputs(is_list(o) ? ")'" : "'", f);
    } else if (wants_value(o)) {
        fputs(strcmp(o->value, "FILE") ? " -x" : " -r -F", f);
    }
    fputs(" -d '", f);
    put_quoted(f, o->help, false);
    fputs("'\n", f);
}

static void put_fish_command(FILE *f, const struct cli_command *c)
{
    fprintf(f, "complete -c candor -n __fish_use_subcommand -a %s -d '", c->name);
    put_quoted(f, c->summary, false);
    fputs("'\n", f);
    for (const struct cli_option *o = c->options; o && o->name; o++)
        put_fish_option(f, c, o);
    const char *seen = "__fish_seen_subcommand_from";
    if (c->operand == CLI_FILE)
        fprintf(f, "complete -c candor -n '%s %s' -F\n", seen, c->name);
    else if (c->operand == CLI_PROCESS || c->operand == CLI_CASE)
        fprintf(f, "complete -c candor -n '%s %s' -a \"%s\"\n", seen, c->name, operand_words(c->operand) + 1);
    else if (c->operand == CLI_SHELL)
        fprintf(f, "complete -c candor -n '%s %s' -a '%s'\n", seen, c->name, operand_words(c->operand));
}

static void print_fish(FILE *f)
{
    fputs("# fish completion for candor; to use it: candor completion fish | source\ncomplete -c candor -f\n", f);
    for (size_t i = 0; cli_commands[i]; i++)
        put_fish_command(f, cli_commands[i]);
}

static int completion_run(const struct cli_args *args)
{
    const char *shell = args->operands[0];
    if (!strcmp(shell, "bash"))
        print_bash(stdout);
    else if (!strcmp(shell, "zsh"))
        print_zsh(stdout);
    else if (!strcmp(shell, "fish"))
        print_fish(stdout);
    else
        return cli_usage(args->command, "no completion for '%.40s'; there is bash, zsh and fish", shell);
    return cli_finish_output();
}

const struct cli_command command_completion = {
    .name = "completion",
    .arguments = "(bash | zsh | fish)",
    .summary = "print a completion script for a shell",
    .about = "Prints a script that teaches the shell to complete the commands, options and processes of candor.",
    .examples = "source <(candor completion bash)\n    use it in this bash\n",
    .operand = CLI_SHELL,
    .operands_min = 1,
    .operands_max = 1,
    .run = completion_run,
};
