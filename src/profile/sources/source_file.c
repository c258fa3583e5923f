#include "profile/sources/source_file.h"

#include "base/array.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 16 << 20 };

static const char *const roots[] = {"", "src/main/java/", "src/main/kotlin/", "src/main/scala/", "src/main/groovy/", "src/"};
static const char *const endings[] = {".java", ".kt", ".scala", ".groovy"};

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Converts "shop.Cart$Item" to "shop/Cart". Returns false if the name is not one of a class. */
static bool put_class(const char *name, size_t len, char out[PATH_MAX])
{
    size_t n = 0, dollar = 0;
    while (dollar < len && name[dollar] != '$')
        dollar++;
    bool may_end = false;
    for (; n < dollar && n < PATH_MAX - 1; n++) {
        bool dot = name[n] == '.';
        if (!(dot ? may_end : is_name_part(name[n])))
            return false;
        may_end = !dot;
        out[n] = dot ? '/' : name[n];
    }
    out[n] = 0;
    return n == dollar && may_end;
}

static FILE *open_file(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer shall not be waited for */
    bool fits = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= FILE_BYTES_MAX;
    FILE *f = fits ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !f)
        close(fd);
    return f;
}

/* Opens the file of the class in a folder. below: receives its path from the root of the source tree. */
static FILE *find_in(const char *folder, size_t len, const char *class_path, char below[PATH_MAX])
{
    char path[PATH_MAX];
    size_t name = strlen(class_path), plain = name > 2 && !strcmp(class_path + name - 2, "Kt") ? name - 2 : 0;
    for (size_t r = 0; r < sizeof roots / sizeof *roots; r++)
        for (size_t e = 0; e < 2 * sizeof endings / sizeof *endings; e++) {
            /* Kotlin has the functions outside of classes of Cart.kt in the class CartKt. */
            size_t use = e % 2 ? plain : name;
            int n = use ? snprintf(below, PATH_MAX, "%.*s%s", (int)use, class_path, endings[e / 2]) : 0;
            if (n <= 0 || n >= PATH_MAX)
                continue;
            n = snprintf(path, sizeof path, "%.*s/%s%s", (int)len, folder, roots[r], below);
            FILE *f = n < PATH_MAX ? open_file(path) : NULL;
            if (f)
                return f;
        }
    return NULL;
}

static char *read_all(FILE *f, size_t *size)
{
    char *text = malloc(FILE_BYTES_MAX + 1);
    *size = text ? fread(text, 1, FILE_BYTES_MAX, f) : 0;
    char *fitting = text ? realloc(text, *size + 1) : NULL;
    text = fitting ? fitting : text;
    if (text)
        text[*size] = 0;
    return text;
}

static int split(struct source_file *f, size_t size)
{
    uint32_t cap = 0;
    for (char *at = f->text, *end = f->text + size; at < end;) {
        char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end ? line_end : end;
        if (ARRAY_GROW(f->lines, cap, f->count))
            return -ENOMEM;
        f->lines[f->count++] = at;
        *line_end = 0;
        if (line_end > at && line_end[-1] == '\r')
            line_end[-1] = 0;
        at = line_end + 1;
    }
    return 0;
}

int source_file_read(struct source_file *f, const char *folders, const char *class_name, size_t len)
{
    char class_path[PATH_MAX], below[PATH_MAX];
    FILE *found = NULL;
    *f = (struct source_file){0};
    if (!put_class(class_name, len, class_path))
        return -ENOENT;
    for (const char *at = folders; !found && *at;) {
        size_t n = strcspn(at, ":");
        found = n ? find_in(at, n, class_path, below) : NULL;
        at += n + (at[n] == ':');
    }
    if (!found)
        return -ENOENT;
    size_t size;
    f->text = read_all(found, &size);
    f->path = strdup(below);
    fclose(found);
    int rc = f->text && f->path ? split(f, size) : -ENOMEM;
    if (rc)
        source_file_deinit(f);
    return rc;
}

void source_file_deinit(struct source_file *f)
{
    free(f->path);
    free(f->text);
    free(f->lines);
    *f = (struct source_file){0};
}
