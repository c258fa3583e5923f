/* candor list: lists the JVMs on this host. */
#include "attach/control.h"
#include "attach/jvm.h"
#include "base/text/jsonw.h"
#include "base/text/utf8.h"
#include "base/time_units.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t patience_ns = 2 * NS_PER_S; /* for each agent's answer, so that one JVM that hangs does not stop the list */

enum agent_state { AGENT_HIDDEN, AGENT_ABSENT, AGENT_LOADED, AGENT_IDLE, AGENT_RECORDING };

static const struct cli_option options[] = {
    {0, "json", NULL, NULL, "print JSON"},
    {0, "pids", NULL, NULL, "print only the PIDs, one per line"},
    {0},
};

static const char *or_dash(const char *text)
{
    return *text ? text : "-";
}

/* Returns the state of the JVM's agent. LOADED: an agent is there, but its state is unknown, because it does not answer, or not to this
 * user. */
static enum agent_state agent_state(const struct jvm *jvm)
{
    struct control_request request;
    struct control_answer answer;
    if (jvm->closed || !jvm->agent)
        return jvm->closed ? AGENT_HIDDEN : AGENT_ABSENT;
    control_begin(&request, "status");
    int code = control_send(jvm->process.pid, &request, patience_ns, &answer, NULL);
    if (code)
        return code == -ENOENT ? AGENT_IDLE : AGENT_LOADED;
    const char *state = control_text(&answer, "state");
    bool running = state && !strcmp(state, "running");
    control_answer_free(&answer);
    return running ? AGENT_RECORDING : AGENT_IDLE;
}

static const char *agent_word(enum agent_state state)
{
    static const char *const words[] = {"-", "no", "loaded", "idle", "recording"};
    return words[state];
}

static void print_table(const struct jvm *list, size_t count)
{
    int user_width = 4, version_width = 3;
    for (size_t i = 0; i < count; i++) {
        int user = (int)strlen(list[i].user), version = (int)strlen(list[i].version);
        user_width = user > user_width ? user : user_width;
        version_width = version > version_width ? version : version_width;
    }
    printf("%7s  %-*s  %-*s  %-9s  %s\n", "PID", user_width, "USER", version_width, "JDK", "AGENT", "MAIN");
    for (size_t i = 0; i < count; i++) {
        const struct jvm *jvm = &list[i];
        printf("%7d  %-*s  %-*s  %-9s  ", jvm->process.pid, user_width, jvm->user, version_width, or_dash(jvm->version),
               agent_word(agent_state(jvm)));
        utf8_print(stdout, or_dash(jvm->main));
        putchar('\n');
    }
}

static void put_bool(struct jsonw *j, const char *key, bool known, bool value)
{
    jsonw_key(j, key);
    if (known)
        jsonw_bool(j, value);
    else
        jsonw_null(j);
}

static void print_json(const struct jvm *list, size_t count)
{
    struct jsonw j;
    jsonw_init(&j, stdout);
    j.line_depth = 2;
    jsonw_object(&j);
    jsonw_key(&j, "jvms");
    jsonw_array(&j);
    for (size_t i = 0; i < count; i++) {
        const struct jvm *jvm = &list[i];
        jsonw_object(&j);
        jsonw_key(&j, "pid");
        jsonw_int(&j, jvm->process.pid);
        jsonw_member_text_or_null(&j, "user", jvm->user);
        jsonw_member_text_or_null(&j, "jdk", jvm->version);
        jsonw_member_text_or_null(&j, "main", jvm->main);
        enum agent_state state = agent_state(jvm);
        put_bool(&j, "agent", state != AGENT_HIDDEN, jvm->agent);
        put_bool(&j, "recording", state != AGENT_HIDDEN && state != AGENT_LOADED, state == AGENT_RECORDING);
        jsonw_object_end(&j);
    }
    jsonw_array_end(&j);
    jsonw_object_end(&j);
    jsonw_finish(&j);
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
    .about = "Shows the PID, user, JDK version, state of candor's agent, and main class or jar of every JVM. The "
             "agent is no (not loaded), idle (loaded: its code sleeps in the JVM until the next recording), "
             "recording, or loaded if it does not answer. A dash stands for what cannot be seen: only root sees "
             "everything about other users' JVMs.\n\n"
             "With --json: {\"jvms\": [{\"pid\", \"user\", \"jdk\", \"main\", \"agent\", \"recording\"}]}; what is "
             "unknown is null.",
    .examples = "candor list\n    show the JVMs\n"
                "sudo candor list --json | jq '.jvms[].pid'\n    the PIDs of all users' JVMs\n",
    .options = options,
    .run = list_run,
};
