/* Runs a command as somebody else, in an emulated machine, which has neither su nor a container engine.
 *
 *   become user COMMAND...           as the user 1000
 *   become denied COMMAND...         perf_event_open fails with EPERM, as under the seccomp filter of a container engine
 *   become user-denied COMMAND...    both */
#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { USER = 1000 };

static int become_user(void)
{
    return setgroups(0, NULL) || setgid(USER) || setuid(USER);
}

static int deny(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    if ((strstr(argv[1], "user") && become_user()) || (strstr(argv[1], "denied") && deny())) {
        perror(argv[1]);
        return 2;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}
