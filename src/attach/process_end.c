#include "attach/process_end.h"

#include "attach/process.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

/* From linux/pidfd.h, which some of our build systems do not have. */
struct pidfd_answer {
    uint64_t mask, cgroup;
    uint32_t ids[11];
    int32_t exit_code;
};

#define ASK_PIDFD      _IOWR(0xFF, 11, struct pidfd_answer)
#define WITH_EXIT_CODE 8u

int process_end_parse(const char *line)
{
    const char *name_end = strrchr(line, ')'), *last = strrchr(line, ' '); /* the name may contain any characters */
    int status = 0;
    if (!name_end || name_end[1] != ' ' || name_end[2] != 'Z' || !last || sscanf(last, "%d", &status) != 1 || status <= 0)
        return -1;
    return status;
}

int process_end_status(int handle, pid_t pid)
{
    char line[2048];
    struct pidfd_answer answer = {.mask = WITH_EXIT_CODE};
    int status = process_read_file(pid, "stat", line, sizeof line) > 0 ? process_end_parse(line) : -1;
    if (status < 0 && handle >= 0 && !ioctl(handle, ASK_PIDFD, &answer) && answer.mask & WITH_EXIT_CODE)
        status = answer.exit_code;
    return status;
}
