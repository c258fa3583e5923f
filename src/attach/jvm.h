/* The JVMs of this host, and everything that can be known about one without touching it. */
#ifndef CANDOR_ATTACH_JVM_H
#define CANDOR_ATTACH_JVM_H

#include "attach/hsperf.h"
#include "attach/process.h"

#include <stdint.h>

struct jvm {
    struct process process;
    char user[64];
    char version[64];     /* "17.0.19", "" when unknown */
    char main[1024];      /* main class, module/class or jar, or the name of a program that has a JVM in it; "" when unknown */
    bool embedded;        /* it is such a program's */
    bool closed;          /* another user's: what needs its memory map is unknown, and it is a JVM only by its name */
    bool agent;           /* our agent is loaded */
    bool attach_disabled; /* -XX:+DisableAttachMechanism */
    bool loading_refused; /* -XX:-EnableDynamicAgentLoading */
};

/* The main class or jar by the bytes of /proc/PID/cmdline (arguments with a zero behind each): offset of its text, or -1
 * when there is none. *options_end becomes the offset behind the JVM's own options. */
long jvm_parse_command(const char *cmdline, size_t len, size_t *options_end);
/* Follows "-XX:+NAME" and "-XX:-NAME" in arguments split by zeros or blanks; *on keeps its value when there is none. */
void jvm_parse_flag(const char *arguments, size_t len, const char *name, bool *on);
/* The last part of a main class or jar ("org.x.Main" -> "Main", "/opt/app.jar" -> "app"), only letters, digits, '.',
 * '_' and '-'; "" when nothing is left. Returns out. */
char *jvm_short_name(const char *main, char *out, size_t size);

/* The same of a JVM's name; a program's stays whole but for other characters. Returns out. */
char *jvm_brief_name(const struct jvm *jvm, char *out, size_t size);

enum { JVM_RELEASE_MAX = 8192 };

/* The performance data of a JVM by its path in the JVM's own root (struct process_maps): 0, -ENOENT without a path, or
 * another negative errno. */
int jvm_read_hsperf(const struct process *p, const char *path, struct hsperf *h);
/* The text of JAVA_HOME/release, by the path of libjvm.so: its length (cut at size - 1), or -ENOENT. */
ssize_t jvm_read_release(const struct process *p, const char *libjvm, char *text, size_t size);
/* The version in that text, "" when unknown; path: of libjvm.so, or of another file in that Java's folder. */
void jvm_read_version(const struct process *p, const char *path, char *version, size_t size);
/* "1.8.0_402" -> 8, "17.0.19" -> 17; 0 if it is not a version. */
int jvm_feature(const char *version);
/* 0; -ESRCH no such process, -ENOEXEC no JVM; each with e. A process of another user that looks like a JVM is one. */
int jvm_read(pid_t pid, struct jvm *jvm, struct error *e);
/* All JVMs in order of PID; the caller frees *list. 0 or -ENOMEM, -EIO with e. */
int jvm_list(struct jvm **list, size_t *count, struct error *e);
/* A PID, or part of the name of exactly one JVM's main class or jar; an exact name wins over a part. On success *pid; else
 * -ESRCH, or -EEXIST when several match, with e naming them. */
int jvm_resolve(const char *target, pid_t *pid, struct error *e);

#endif
