/* One process as /proc shows it. A process may end at any time: every function says so with -ESRCH. No state is kept
 * beyond the caller's structs; any thread may call. */
#ifndef CANDOR_ATTACH_PROCESS_H
#define CANDOR_ATTACH_PROCESS_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct process {
    pid_t pid;         /* as we see it */
    pid_t inner_pid;   /* as the process sees itself; differs in a PID namespace */
    uid_t uid;         /* effective */
    gid_t gid;         /* effective */
    char state;        /* the letter of /proc/PID/status: R S D T Z ... */
    bool catches_quit; /* has a handler for SIGQUIT: without one the signal kills */
};

/* What the memory map tells. */
struct process_maps {
    char libjvm[PATH_MAX];    /* path of libjvm.so in the process's own root, "" when the process is no JVM */
    char hsperf[PATH_MAX];    /* path of its hsperfdata file there, "" when there is none */
    bool agent;               /* libcandor.so is loaded */
    char agents[2][PATH_MAX]; /* from where; the second is a second copy, "" = none */
};

/* 0; -ESRCH (no such process, it is a mere thread, or it has exited) or -EIO with e. */
int process_read(pid_t pid, struct process *p, struct error *e);
/* Parses the text of /proc/PID/status (for tests); 0 or -EINVAL. */
int process_parse_status(const char *text, struct process *p, pid_t *thread_group);
/* 0, -EACCES (another user's process) or -ESRCH. */
int process_read_maps(pid_t pid, struct process_maps *maps);
/* Takes one line of /proc/PID/maps (without newline; it is changed). */
void process_parse_map_line(char *line, struct process_maps *maps);
/* Reads /proc/PID/NAME, at most size - 1 bytes, and ends it with a zero; the length, or a negative errno. */
ssize_t process_read_file(pid_t pid, const char *name, char *out, size_t size);
/* Opens the folder that the process sees under this absolute path: a directory descriptor for the *at functions, to be closed by the
 * caller, or a negative errno. In another root or mount namespace than ours no symbolic link is followed. */
int process_open_folder(const struct process *p, const char *path);
int process_open_tmp(const struct process *p);
/* Why a process's /tmp could not be opened, as text for an error. */
const char *process_tmp_problem(int code);
/* Opens a file of the process's own root for reading, never through a last symbolic link, and never out of that root; a
 * descriptor or -errno. */
int process_open_file(const struct process *p, const char *path);
/* True if the process finds the same file or folder under this absolute path as we do (or if that is unknown). */
bool process_sees(const struct process *p, const char *path);
/* Whether the process itself has that file open for writing: 0, -EPERM (it has not), -EACCES (it does not let us see), -ESRCH. */
int process_writes(pid_t pid, const struct stat *file);
/* Whether one of its threads has this name. */
bool process_has_thread(pid_t pid, const char *name);
/* 0, or -EAGAIN with the remedy when it was stopped (SIGSTOP, a debugger): nothing in it answers before it goes on. */
int process_check_stopped(const struct process *p, struct error *e);
/* The user's name, or the number when it has none. Returns out. */
char *process_user_name(uid_t uid, char *out, size_t size);

#endif
