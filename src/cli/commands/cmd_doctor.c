/* candor doctor: checks what this machine and one JVM allow. */
#include "attach/jvm.h"
#include "base/text/jsonw.h"
#include "base/text/utf8.h"
#include "cli/cli.h"
#include "doctor/doctor.h"

#include <string.h>

static const struct cli_option options[] = {
    {0, "json", NULL, NULL, "print JSON"},
    {0},
};

static const char *colour_of(enum check_level level)
{
    static const char *const codes[CHECK_LEVELS] = {"\033[32m", "\033[36m", "\033[33m", "\033[31m"};
    return cli_colour(stdout) ? codes[level] : "";
}

static void print_row(const struct check *row)
{
    const char *colour = colour_of(row->level);
    printf("  %s%-8s%s %-20s ", colour, check_levels[row->level], *colour ? "\033[m" : "", row->name);
    utf8_print(stdout, row->found);
    if (*row->meaning)
        fputs(": ", stdout);
    utf8_print(stdout, row->meaning);
    if (*row->remedy) {
        printf("\n  %-8s %-20s   remedy: ", "", "");
        utf8_print(stdout, row->remedy);
    }
    putchar('\n');
}

static void print_text(const struct checkup *f)
{
    for (int i = 0; i < f->count; i++) {
        if (i == 0 || strcmp(f->rows[i].group, f->rows[i - 1].group) != 0)
            printf("%s\n", f->rows[i].group);
        print_row(&f->rows[i]);
    }
    int problems = checkup_of(f, CHECK_PROBLEM), warnings = checkup_of(f, CHECK_WARNING);
    if (problems)
        printf("%d problem%s: no recording can be made\n", problems, problems == 1 ? "" : "s");
    else
        printf("a recording can be made; %d warning%s\n", warnings, warnings == 1 ? "" : "s");
}

static void print_json(const struct checkup *f)
{
    struct jsonw j;
    jsonw_init(&j, stdout);
    j.line_depth = 2;
    jsonw_object(&j);
    jsonw_key(&j, "possible");
    jsonw_bool(&j, !checkup_of(f, CHECK_PROBLEM));
    jsonw_key(&j, "checks");
    jsonw_array(&j);
    for (int i = 0; i < f->count; i++) {
        const struct check *row = &f->rows[i];
        jsonw_object(&j);
        jsonw_member_text_or_null(&j, "group", row->group);
        jsonw_member_text_or_null(&j, "check", row->name);
        jsonw_member_text_or_null(&j, "level", check_levels[row->level]);
        jsonw_member_text_or_null(&j, "found", row->found);
        jsonw_member_text_or_null(&j, "meaning", row->meaning);
        jsonw_member_text_or_null(&j, "remedy", row->remedy);
        jsonw_object_end(&j);
    }
    jsonw_array_end(&j);
    jsonw_object_end(&j);
    jsonw_finish(&j);
}

static int doctor_run(const struct cli_args *args)
{
    struct checkup f = {.count = 0};
    struct error e;
    pid_t pid;
    if (!args->operand_count)
        doctor_examine_machine(&f);
    else if (jvm_resolve(args->operands[0], &pid, &e))
        return cli_fail("%s", e.text);
    else
        doctor_examine_process(&f, pid);
    if (cli_switch(args, "json"))
        print_json(&f);
    else
        print_text(&f);
    int status = cli_finish_output();
    return status ? status : checkup_of(&f, CHECK_PROBLEM) ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_doctor = {
    .name = "doctor",
    .arguments = "[--json] [PID | NAME]",
    .summary = "show what this machine and a JVM allow, and how to make more possible",
    .about = "Checks everything that a recording depends on, one line each: the finding, its meaning and, if it "
             "could be better, the remedy. Candor opens each clock and measures it with a short burst of CPU time of its own; if a process "
             "is given, it does so with the rights of that process's user. It only inspects the JVM, and creates an empty file in the "
             "JVM's /tmp for a moment.\n\n"
             "A line is ok, a note, a warning (a recording will show less than it could) or a problem (no recording "
             "is possible). The exit status is 1 if there is a problem.\n\n"
             "With --json: {\"possible\", \"checks\": [{\"group\", \"check\", \"level\", \"found\", \"meaning\", "
             "\"remedy\"}]}; a field with nothing to say is null.",
    .examples = "candor doctor\n    check the machine\n"
                "sudo candor doctor 4711\n    check the machine and a JVM of any user\n"
                "candor doctor --json 4711 | jq '.checks[] | select(.level != \"ok\")'\n    what could be better, for programs\n",
    .options = options,
    .operand = CLI_PROCESS,
    .operands_max = 1,
    .run = doctor_run,
};
