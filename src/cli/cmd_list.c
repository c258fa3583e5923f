/* candor list: the JVMs on this host. */
#include "attach/jvm.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {0, "json", NULL, NULL, "print JSON"},
    {0, "pids", NULL, NULL, "print only the PIDs, one per line"},
    {0},
};

static const char *or_dash(const char *text)
{
    return *text ? text : "-";
}

static void print_table(const struct jvm *list, size_t count)
{
    int user_width = 4, version_width = 3;
    for (size_t i = 0; i < count; i++) {
        int user = (int)strlen(list[i].user), version = (int)strlen(list[i].version);
        user_width = user > user_width ? user : user_width;
        version_width = version > version_width ? version : version_width;
    }
    printf("%7s  %-*s  %-*s  %-5s  %s\n", "PID", user_width, "USER", version_width, "JDK", "AGENT", "MAIN");
    for (size_t i = 0; i < count; i++) {
        const struct jvm *jvm = &list[i];
        printf("%7d  %-*s  %-*s  %-5s  ", jvm->process.pid, user_width, jvm->user, version_width, or_dash(jvm->version),
               jvm->closed ? "-" : jvm->agent ? "yes" : "no");
        utf8_print(stdout, or_dash(jvm->main));
        putchar('\n');
    }
}

static void put_text(struct json *j, const char *key, const char *text)
{
    json_key(j, key);
    json_text_or_null(j, text);
}

static void print_json(const struct jvm *list, size_t count)
{
    struct json j;
    json_init(&j, stdout);
    j.line_depth = 2;
    json_object(&j);
    json_key(&j, "jvms");
    json_array(&j);
    for (size_t i = 0; i < count; i++) {
        const struct jvm *jvm = &list[i];
        json_object(&j);
        json_key(&j, "pid");
        json_int(&j, jvm->process.pid);
        put_text(&j, "user", jvm->user);
        put_text(&j, "jdk", jvm->version);
        put_text(&j, "main", jvm->main);
        json_key(&j, "agent");
        if (jvm->closed)
            json_null(&j);
        else
            json_bool(&j, jvm->agent);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_finish(&j);
}

static int list_run(const struct cli_args *args)
{
    struct jvm *list;
    size_t count;
    struct error e;
    if (jvm_list(&list, &count, &e))
        return cli_fail("%s", e.text);
    if (cli_switch(args, "json"))
        print_json(list, count);
    else if (cli_switch(args, "pids"))
        for (size_t i = 0; i < count; i++)
            printf("%d\n", list[i].process.pid);
    else if (count)
        print_table(list, count);
    else
        fputs("no JVM is running, or none that this user can see\n", stderr);
    free(list);
    return cli_finish_output();
}

const struct cli_command command_list = {
    .name = "list",
    .arguments = "[--json]",
    .summary = "show the JVMs on this host",
    .about = "Shows PID, user, JDK version, whether the agent of candor is loaded, and main class or jar of every JVM. "
             "A dash stands for what cannot be seen: of other users' JVMs only root sees everything.\n\n"
             "With --json: {\"jvms\": [{\"pid\", \"user\", \"jdk\", \"main\", \"agent\"}]}; what is unknown is null.",
    .examples = "candor list\n    show the JVMs\n"
                "sudo candor list --json | jq '.jvms[].pid'\n    the PIDs of all users' JVMs\n",
    .options = options,
    .run = list_run,
};
