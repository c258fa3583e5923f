/* Reads facts about one process from /proc. A process may end at any time: every function then returns -ESRCH. The functions keep no state
 * except in the caller's structs, and any thread may call them. */
#ifndef CANDOR_ATTACH_PROCESS_H
#define CANDOR_ATTACH_PROCESS_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct process {
    pid_t pid;         /* as our process sees it */
    pid_t inner_pid;   /* as the process sees itself; differs in a PID namespace */
    uid_t uid;         /* effective */
    gid_t gid;         /* effective */
    char state;        /* the letter of /proc/PID/status: R S D T Z ... */
    bool catches_quit; /* it has a handler for SIGQUIT: without one the signal would kill it */
};

/* Facts from the memory map. */
struct process_maps {
    char libjvm[PATH_MAX];    /* path of libjvm.so in the process's own root, "" if the process is not a JVM */
    char hsperf[PATH_MAX];    /* path of its hsperfdata file there, "" if there is none */
    bool agent;               /* libcandor.so is loaded */
    char agents[2][PATH_MAX]; /* the paths of libcandor.so; the second is that of a second copy, "" = none */
};

/* Reads the facts about a process. Returns 0, or with e: -ESRCH (there is no such process, the id is that of a thread, or the process has
 * exited) or -EIO. */
int process_read(pid_t pid, struct process *p, struct error *e);
/* Parses the text of /proc/PID/status. It is public for tests. Returns 0 or -EINVAL. */
int process_parse_status(const char *text, struct process *p, pid_t *thread_group);
/* Reads the memory map. Returns 0, -EACCES (another user's process) or -ESRCH. */
int process_read_maps(pid_t pid, struct process_maps *maps);
/* Parses one line of /proc/PID/maps (without newline). The line is changed. */
void process_parse_map_line(char *line, struct process_maps *maps);
/* Reads /proc/PID/NAME, at most size - 1 bytes, and ends it with a zero. Returns the length, or a negative errno. */
ssize_t process_read_file(pid_t pid, const char *name, char *out, size_t size);
/* Opens the folder that the process sees under this absolute path. Returns a directory descriptor for the *at functions, which the caller
 * closes, or a negative errno. If the process has another root or mount namespace, no symbolic link is followed. */
int process_open_folder(const struct process *p, const char *path);
int process_open_tmp(const struct process *p);
/* Returns why a process's /tmp could not be opened, as text for an error. */
const char *process_tmp_problem(int code);
/* Opens a file in the process's own root for reading. It does not follow a symbolic link at the end of the path, and never leaves that
 * root. Returns a descriptor or a negative errno. */
int process_open_file(const struct process *p, const char *path);
/* Whether this absolute path leads the process to the same file or folder as us. It also returns true if that is unknown. */
bool process_sees(const struct process *p, const char *path);
/* Whether the process itself has that file open for writing. Returns 0, -EPERM (it has not), -EACCES (we may not look), or -ESRCH. */
int process_writes(pid_t pid, const struct stat *file);
/* Whether a thread of the process has this name. */
bool process_has_thread(pid_t pid, const char *name);
/* Checks whether the process was stopped (SIGSTOP, a debugger). Returns 0, or -EAGAIN with the remedy: a stopped process does not
 * answer. */
int process_check_stopped(const struct process *p, struct error *e);
/* Writes the user's name, or the number if the user has no name. Returns out. */
char *process_user_name(uid_t uid, char *out, size_t size);

#endif
