/* Functions for the commands that communicate with one JVM, from the operand to requests to its agent. Functions that return a status
 * have already printed their message. */
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
    int handle;    /* pidfd; -1 if the kernel has none */
    char name[64]; /* short name of the main class or jar, else the PID; for file names */
    unsigned long long timeout_ns;
};

/* Finds the process that the operand names by PID or NAME. Also reads --timeout. Returns CLI_OK or a status. */
int session_open(struct session *s, const struct cli_args *args);
/* Does the same for a child of this process. */
int session_open_child(struct session *s, pid_t pid, const struct cli_args *args);
void session_close(struct session *s);
/* Waits until the process ends, a signal arrives, or the time is over. Returns true if the process has ended. */
bool session_wait_end(const struct session *s, int ms);

/* Loads the agent if none answers in the process. Returns CLI_OK or a status. */
int session_load_agent(const struct session *s);
/* Calls control_send with the session's timeout. Returns 0, or a negative errno with e. Prints nothing. */
int session_ask(const struct session *s, struct control_request *r, struct control_answer *answer, struct error *e);
/* Sends a command without options. Returns as session_ask does. */
int session_ask_simple(const struct session *s, const char *command, struct control_answer *answer, struct error *e);
/* Asks about one of the recordings in the JVM, by the agent's number for it. 0 = the recording that the agent considers this client's;
 * agents that make one recording at a time use no numbers. */
int session_ask_about(const struct session *s, const char *command, uint64_t recording, struct control_answer *answer, struct error *e);
/* Adds the recording's number to a request; does nothing if it is 0. */
void session_name_recording(struct control_request *r, uint64_t recording);
/* Returns the agent library that this program contains. */
void session_embedded_library(struct agent_library *library);
/* Writes the path of an agent library that the target can load into `path`. Returns CLI_OK or a status. */
int session_library(const struct process *target, char *path, size_t size);

#endif
