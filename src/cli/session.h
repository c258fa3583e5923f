/* Shared by the commands that talk to one JVM: from the operand to requests to its agent. Functions that return a status have
 * already printed their message. */
#ifndef CANDOR_CLI_SESSION_H
#define CANDOR_CLI_SESSION_H

#include "attach/agent.h"
#include "attach/control.h"
#include "attach/process.h"
#include "cli/cli.h"

#define SESSION_TIMEOUT_OPTION                                                                                                             \
    {                                                                                                                                      \
        0, "timeout", "TIME", NULL, "how long to wait for the JVM (default 10s)"                                                           \
    }

struct session {
    struct process process;
    int handle;    /* pidfd, -1 when the kernel has none */
    char name[64]; /* short name of the main class or jar, else the PID: for file names */
    unsigned long long timeout_ns;
};

/* Finds the process that the operand names, by PID or NAME; also reads --timeout. CLI_OK or a status. */
int session_open(struct session *s, const struct cli_args *args);
/* The same for a child of ours. */
int session_open_child(struct session *s, pid_t pid, const struct cli_args *args);
void session_close(struct session *s);
/* Waits until the process ends, a signal comes, or the time is over; true when the process has ended. */
bool session_wait_end(const struct session *s, int ms);

/* Loads the agent when none listens in the process. */
int session_load_agent(const struct session *s);
/* control_send with the session's timeout: 0 or a negative errno with e, nothing printed. */
int session_ask(const struct session *s, struct control_request *r, struct control_answer *answer, struct error *e);
/* Asks for a command without options. */
int session_ask_simple(const struct session *s, const char *command, struct control_answer *answer, struct error *e);
/* The same about one of the recordings that run there, by the agent's number for it. 0 = the one that the agent takes for ours; agents
 * that make one at a time know no number. */
int session_ask_about(const struct session *s, const char *command, uint64_t recording, struct control_answer *answer, struct error *e);
/* Names the recording in a request; 0 = does nothing. */
void session_name_recording(struct control_request *r, uint64_t recording);
/* The agent that this program carries. */
void session_embedded_library(struct agent_library *library);
/* Puts the path of a loadable agent library into path. */
int session_library(const struct process *target, char *path, size_t size);

#endif
