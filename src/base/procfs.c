#include "base/procfs.h"

#include "base/text/number.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

ssize_t procfs_read(const char *path, char *out, size_t size)
{
    *out = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    size_t len = 0;
    ssize_t n = 0;
    while (len < size - 1 && (n = read(fd, out + len, size - 1 - len)) > 0)
        len += (size_t)n;
    int code = n < 0 ? -errno : 0;
    close(fd);
    out[len] = 0;
    return code ? code : (ssize_t)len;
}

int procfs_read_number(const char *path, long long *number)
{
    char text[64];
    const char *at = text;
    int64_t value;
    ssize_t n = procfs_read(path, text, sizeof text);
    if (n < 0)
        return (int)n;
    if (number_take_signed(&at, INT64_MIN, INT64_MAX, &value))
        return -EINVAL;
    *number = value;
    return 0;
}

const char *procfs_field(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL)
        if (!strncmp(line, name, n) && line[n] == ':')
            return line + n + 1;
    return NULL;
}

bool procfs_has_word(const char *list, const char *separators, const char *word)
{
    size_t n = strlen(word);
    for (list += strspn(list, separators); *list; list += strspn(list, separators)) {
        size_t len = strcspn(list, separators);
        if (len == n && !memcmp(list, word, n))
            return true;
        list += len;
    }
    return false;
}

/* Several lines are read, because the first symbols may be per-CPU ones, whose addresses really begin at zero. Hundreds of these may come
 * before the first function, so the kind of symbol does not count. */
bool procfs_shows_addresses(FILE *kallsyms)
{
    enum { LINES = 64 };
    char line[1024];
    uint64_t value;
    bool shown = false;
    for (int i = 0; kallsyms && i < LINES && !shown && fgets(line, sizeof line, kallsyms); i++) {
        const char *at = line;
        shown = !number_take(&at, 16, 1, UINT64_MAX, &value);
    }
    return shown;
}
