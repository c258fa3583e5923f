#include "store/files/envelope.h"

#include "base/text/number.h"
#include "store/files/checksum.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTE_MAX = ENVELOPE_MORE - ENVELOPE_HEAD };

struct head {
    char magic[8];
    uint64_t body, body_checksum, note, note_checksum;
    uint8_t identity[ENVELOPE_IDENTITY];
    uint8_t zeros[48];
    uint64_t checksum;
};
_Static_assert(sizeof(struct head) == ENVELOPE_HEAD, "envelope.h has its size");

static const char magic[8] = {'C', 'A', 'N', 'D', 'R', 'E', 'C', '1'};

/* ---- writing ---- */

int envelope_begin(struct envelope_writer *w, const char *folder, struct error *e)
{
    *w = (struct envelope_writer){.fd = -1};
    snprintf(w->path, sizeof w->path, "%s/XXXXXX", folder);
    w->checksum = checksum_new();
    if (!w->checksum)
        return error_set(e, -ENOMEM, "out of memory");
    w->fd = mkostemp(w->path, O_CLOEXEC);
    if (w->fd < 0) {
        int code = -errno;
        *w->path = 0;
        return error_set(e, code, "%s: cannot be written to: %s", folder, strerror(-code));
    }
    return 0;
}

int envelope_put(struct envelope_writer *w, const void *bytes, size_t n, struct error *e)
{
    int rc = disk_write_at(w->fd, bytes, n, ENVELOPE_HEAD + w->size, w->path, e);
    if (rc)
        return rc;
    checksum_add(w->checksum, bytes, n);
    w->size += n;
    return 0;
}

static int write_note(struct buffer *out, const struct envelope_note *n)
{
    buffer_text(out, "labels ");
    int rc = labels_write(&n->labels, out);
    buffer_printf(out, "\nreceived %" PRId64 "\nfrom %" PRId64 "\nuntil %" PRId64 "\nperiod %" PRIu64 "\nformat %s\nkey %s\n",
                  n->received_ns, n->from_ns, n->until_ns, n->period_ns, n->format, n->key);
    if (n->values.count) {
        buffer_text(out, "values ");
        rc = rc ? rc : labels_write(&n->values, out);
        buffer_text(out, "\n");
    }
    if (*n->family)
        buffer_printf(out, "family %s\n", n->family);
    return rc || out->failed ? -ENOMEM : 0;
}

int envelope_end(struct envelope_writer *w, const struct envelope_note *note, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e)
{
    struct buffer text;
    struct head head = {.body = htole64(w->size), .body_checksum = htole64(checksum_end(w->checksum))};
    buffer_init(&text, NOTE_MAX);
    int rc = write_note(&text, note) ? error_set(e, -ENOMEM, "out of memory") : 0;
    memcpy(head.magic, magic, sizeof magic);
    memcpy(head.identity, identity, ENVELOPE_IDENTITY);
    head.note = htole64(text.len);
    head.note_checksum = htole64(checksum_of(text.data, text.len));
    head.checksum = htole64(checksum_of(&head, offsetof(struct head, checksum)));
    rc = rc ? rc : disk_write_at(w->fd, text.data, text.len, ENVELOPE_HEAD + w->size, w->path, e);
    rc = rc ? rc : disk_write_at(w->fd, &head, sizeof head, 0, w->path, e);
    buffer_deinit(&text);
    if (!rc && fsync(w->fd)) {
        int code = -errno;
        rc = error_set(e, code, "%s: cannot be synced: %s", w->path, strerror(-code));
    }
    return rc;
}

void envelope_abandon(struct envelope_writer *w)
{
    if (w->fd >= 0)
        close(w->fd);
    if (*w->path)
        unlink(w->path);
    checksum_free(w->checksum);
    *w = (struct envelope_writer){.fd = -1};
}

/* ---- reading ---- */

static int read_line(struct envelope_note *n, const char *name, const char *value, struct error *e)
{
    if (!strcmp(name, "labels"))
        return labels_read(&n->labels, value, strlen(value), e);
    if (!strcmp(name, "values"))
        return labels_read(&n->values, value, strlen(value), e);
    if (!strcmp(name, "received"))
        n->received_ns = number_signed_or_zero(value);
    else if (!strcmp(name, "from"))
        n->from_ns = number_signed_or_zero(value);
    else if (!strcmp(name, "until"))
        n->until_ns = number_signed_or_zero(value);
    else if (!strcmp(name, "period"))
        n->period_ns = number_or_zero(value);
    else if (!strcmp(name, "format"))
        snprintf(n->format, sizeof n->format, "%s", value);
    else if (!strcmp(name, "key"))
        snprintf(n->key, sizeof n->key, "%s", value);
    else if (!strcmp(name, "family"))
        snprintf(n->family, sizeof n->family, "%s", value);
    return 0;
}

static int read_note(struct envelope_note *n, const uint8_t *bytes, size_t size, struct error *e)
{
    int rc = 0;
    char *copy = strndup((const char *)bytes, size), *rest = copy, *line;
    if (!copy)
        return error_set(e, -ENOMEM, "out of memory");
    while (!rc && (line = strsep(&rest, "\n"))) {
        char *value = strchr(line, ' ');
        if (!value)
            continue;
        *value++ = 0;
        rc = read_line(n, line, value, e);
    }
    free(copy);
    return rc;
}

int envelope_read(struct envelope *v, const void *bytes, uint64_t n, const char *name, struct error *e)
{
    struct head h;
    *v = (struct envelope){0};
    if (n < sizeof h)
        return error_set(e, -EBADMSG, "%s: damaged: too short", name);
    memcpy(&h, bytes, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) || le64toh(h.checksum) != checksum_of(&h, offsetof(struct head, checksum)))
        return error_set(e, -EBADMSG, "%s: damaged: its head", name);
    uint64_t left = n - sizeof h, body = le64toh(h.body), note = le64toh(h.note);
    if (body > left || note != left - body)
        return error_set(e, -EBADMSG, "%s: damaged: its length", name);
    v->body = (const uint8_t *)bytes + sizeof h;
    v->size = body;
    memcpy(v->identity, h.identity, sizeof v->identity);
    if (checksum_of(v->body + body, note) != le64toh(h.note_checksum) || checksum_of(v->body, body) != le64toh(h.body_checksum))
        return error_set(e, -EBADMSG, "%s: damaged: its content", name);
    int rc = read_note(&v->note, v->body + body, note, e);
    if (rc)
        envelope_close(v);
    return rc;
}

int envelope_open(struct envelope *v, const char *path, struct error *e)
{
    struct stat st;
    *v = (struct envelope){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st)) {
        int code = -errno;
        if (fd >= 0)
            close(fd);
        return error_set(e, code, "%s: cannot be opened: %s", path, strerror(-code));
    }
    uint64_t size = (uint64_t)st.st_size;
    void *map = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    close(fd);
    if (map == MAP_FAILED)
        return error_set(e, -ENOMEM, "%s: cannot be mapped", path);
    int rc = envelope_read(v, map, size, path, e);
    v->map = rc ? NULL : map;
    v->map_size = size;
    if (rc && map)
        munmap(map, size);
    return rc;
}

void envelope_close(struct envelope *v)
{
    if (v->map)
        munmap(v->map, v->map_size);
    envelope_note_deinit(&v->note);
    *v = (struct envelope){0};
}

void envelope_note_deinit(struct envelope_note *n)
{
    labels_deinit(&n->labels);
    labels_deinit(&n->values);
}
