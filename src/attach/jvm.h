/* Finds the JVMs of this host, and everything that can be known about a JVM without attaching to it. */
#ifndef CANDOR_ATTACH_JVM_H
#define CANDOR_ATTACH_JVM_H

#include "attach/hsperf.h"
#include "attach/process.h"

#include <stdint.h>

struct jvm {
    struct process process;
    char user[64];
    char version[64]; /* "17.0.19", "" if unknown */
    char main[1024];  /* main class, module/class or jar, or the name of a program that embeds a JVM; "" if unknown */
    bool embedded;    /* main is the name of such a program */
    bool closed;      /* it belongs to another user: everything from its memory map is unknown, and only its name shows that it is a JVM */
    bool agent;       /* our agent is loaded */
    bool attach_disabled; /* -XX:+DisableAttachMechanism */
    bool loading_refused; /* -XX:-EnableDynamicAgentLoading */
};

/* Finds the main class or jar in the bytes of /proc/PID/cmdline (arguments, each followed by a zero). Returns the offset of its text, or -1
 * if there is none. *options_end is set to the offset after the JVM's own options. */
long jvm_parse_command(const char *cmdline, size_t len, size_t *options_end);
/* Reads the last "-XX:+NAME" or "-XX:-NAME" among arguments that are separated by zeros or blanks. *on keeps its value if there is none. */
void jvm_parse_flag(const char *arguments, size_t len, const char *name, bool *on);
/* Writes the last part of a main class or jar ("org.x.Main" -> "Main", "/opt/app.jar" -> "app"), with only letters, digits, '.', '_' and
 * '-'; "" if nothing is left. Returns out. */
char *jvm_short_name(const char *main, char *out, size_t size);

/* Does the same for a JVM's name. The name of a program that embeds a JVM keeps all its parts. Returns out. */
char *jvm_brief_name(const struct jvm *jvm, char *out, size_t size);

enum { JVM_RELEASE_MAX = 8192 };

/* Reads the performance data of a JVM, by its path in the JVM's own root (struct process_maps). Returns 0, -ENOENT if there is no path, or
 * another negative errno. */
int jvm_read_hsperf(const struct process *p, const char *path, struct hsperf *h);
/* Reads the text of JAVA_HOME/release, by the path of libjvm.so. Returns its length (cut at size - 1), or -ENOENT. */
ssize_t jvm_read_release(const struct process *p, const char *libjvm, char *text, size_t size);
/* Reads the version in that text; "" if unknown. path: of libjvm.so, or of another file in that Java's folder. */
void jvm_read_version(const struct process *p, const char *path, char *version, size_t size);
/* Returns the feature version: "1.8.0_402" -> 8, "17.0.19" -> 17; 0 if it is not a version. */
int jvm_feature(const char *version);
/* Reads the facts about a JVM. Returns 0, or with e: -ESRCH there is no such process, -ENOEXEC it is not a JVM. A process of another user
 * counts as a JVM if it looks like one. */
int jvm_read(pid_t pid, struct jvm *jvm, struct error *e);
/* Lists all JVMs in order of PID. The caller frees *list. Returns 0, or -ENOMEM or -EIO with e. */
int jvm_list(struct jvm **list, size_t *count, struct error *e);
/* Finds the PID of a JVM. target: a PID, or a part of the name of exactly one JVM's main class or jar; an exact name takes precedence over
 * a part. Returns 0, or with e: -ESRCH, or -EEXIST if several match; e names them. */
int jvm_resolve(const char *target, pid_t *pid, struct error *e);

#endif
