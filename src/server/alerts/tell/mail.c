#include "server/alerts/tell/mail.h"

#include "http/mail.h"
#include "http/token.h"
#include "server/alerts/tell/template.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE_MAX_BASE64 = 76, WORD_BYTES = 42 };

/* ---- the letter ---- */

/* Writes bytes in base64, in lines that every server accepts. */
static int put_base64(FILE *out, const char *bytes, size_t n)
{
    gnutls_datum_t in = {(unsigned char *)(uintptr_t)bytes, (unsigned)n}, encoded = {0};
    if (gnutls_base64_encode2(&in, &encoded))
        return -ENOMEM;
    for (unsigned at = 0; at < encoded.size; at += LINE_MAX_BASE64) {
        unsigned left = encoded.size - at;
        fwrite(encoded.data + at, 1, left < LINE_MAX_BASE64 ? left : LINE_MAX_BASE64, out);
        fputs("\r\n", out);
    }
    gnutls_free(encoded.data);
    return 0;
}

/* Writes the text of a header line as encoded words (RFC 2047), so that no character of a label can end the line. */
static int put_words(FILE *out, const char *text)
{
    size_t left = strlen(text);
    for (bool first = true; left; first = false) {
        size_t n = left < WORD_BYTES ? left : WORD_BYTES;
        while (n < left && n > 1 && ((unsigned char)text[n] & 0xc0) == 0x80) /* a word has whole characters */
            n--;
        gnutls_datum_t in = {(unsigned char *)(uintptr_t)text, (unsigned)n}, encoded = {0};
        if (gnutls_base64_encode2(&in, &encoded))
            return -ENOMEM;
        fprintf(out, "%s=?UTF-8?B?%.*s?=", first ? "" : "\r\n ", (int)encoded.size, (const char *)encoded.data);
        gnutls_free(encoded.data);
        text += n;
        left -= n;
    }
    return 0;
}

/* Makes a text with a function that writes. Returns it, or NULL if there is no memory. */
static char *make_text(void (*put)(FILE *out, const struct alert_target *target, const struct alert_note *notes, uint32_t count),
                       const struct alert_target *target, const struct alert_note *notes, uint32_t count)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return NULL;
    put(out, target, notes, count);
    if (!fclose(out))
        return text;
    free(text);
    return NULL;
}

static void put_subject(FILE *out, const struct alert_target *target, const struct alert_note *notes, uint32_t count)
{
    static const char usual[] = "[{{status}}] {{rule}} {{of}}";
    template_put(out, *target->subject ? target->subject : usual, &notes[0], false);
    if (count > 1)
        fprintf(out, ", and %u more", count - 1);
}

static void put_body(FILE *out, const struct alert_target *target, const struct alert_note *notes, uint32_t count)
{
    static const char usual[] = "{{status}}: {{rule}} {{of}}\n{{annotation.summary}}\n{{text}}\nsince {{startsAt}} {{endsAt}}\n";
    for (uint32_t i = 0; i < count; i++) {
        fputs(i ? "\n" : "", out);
        template_put(out, *target->template ? target->template : usual, &notes[i], false);
    }
}

static void put_head(FILE *out, const struct alert_target *target, const struct alert_note *note, int64_t now)
{
    char date[64], fingerprint[ALERT_FINGERPRINT];
    struct tm tm;
    time_t t = (time_t)now;
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S +0000", gmtime_r(&t, &tm));
    fprintf(out, "Date: %s\r\nFrom: Candor <%s>\r\nTo: ", date, target->from);
    for (uint32_t i = 0; i < target->recipient_count; i++)
        fprintf(out, "%s<%s>", i ? ",\r\n " : "", target->recipients[i]);
    fprintf(out, "\r\nMessage-ID: <%s.%lld.%s@candor>\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n",
            message_fingerprint(note, fingerprint), (long long)now, target->name);
    fputs("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\nSubject: ", out);
}

int mail_put(FILE *out, const struct alert_target *target, const struct alert_note *notes, uint32_t count, int64_t now)
{
    char *subject = make_text(put_subject, target, notes, count), *body = make_text(put_body, target, notes, count);
    int rc = subject && body ? 0 : -ENOMEM;
    put_head(out, target, &notes[0], now);
    rc = rc ? rc : put_words(out, subject);
    fputs("\r\n\r\n", out);
    rc = rc ? rc : put_base64(out, body, strlen(body));
    free(subject);
    free(body);
    return rc;
}

int mail_send_to(const atomic_bool *cancel, const struct alert_target *target, const char *bytes, size_t n, struct error *e)
{
    char password[TOKEN_MAX];
    int rc = token_read(target->password_file, password, e);
    struct transport *t = rc ? NULL : transport_new(target->ca_file, cancel, e);
    struct mail_letter letter = {.url = target->url,
                                 .open = target->open,
                                 .user = target->user,
                                 .password = password,
                                 .from = target->from,
                                 .to_count = target->recipient_count,
                                 .bytes = bytes,
                                 .size = n};
    for (uint32_t i = 0; i < target->recipient_count; i++)
        letter.to[i] = target->recipients[i];
    if (!rc)
        rc = t ? mail_send(t, &letter, e) : -EIO;
    transport_free(t);
    explicit_bzero(password, sizeof password);
    return rc;
}

/* ---- the keys ---- */

static int set_address(char *out, size_t size, const char *key, const char *value, struct error *e)
{
    if (!mail_is_address(value) || (size_t)snprintf(out, size, "%s", value) >= size)
        return error_set(e, -EINVAL, "%s '%.60s': use an address such as ops@example.org", key, value);
    return 0;
}

static int set_recipients(struct alert_target *t, const char *value, struct error *e)
{
    char word[ALERT_ADDRESS_MAX];
    int rc = 0;
    for (t->recipient_count = 0; !rc && *value;) {
        value += strspn(value, " ,");
        size_t n = strcspn(value, " ,");
        if (!n)
            break;
        if (t->recipient_count == MAIL_RECIPIENTS_MAX)
            return error_set(e, -EINVAL, "more than %d recipients", MAIL_RECIPIENTS_MAX);
        if (n >= sizeof word) /* cut off, it would be another address */
            return error_set(e, -EINVAL, "recipients '%.60s': an address has at most %d characters", value, ALERT_ADDRESS_MAX - 1);
        snprintf(word, sizeof word, "%.*s", (int)n, value);
        rc = set_address(t->recipients[t->recipient_count++], ALERT_ADDRESS_MAX, "recipients", word, e);
        value += n;
    }
    return rc;
}

static int set_text(char *out, size_t size, const char *key, const char *value, struct error *e)
{
    bool fits = *value && (size_t)snprintf(out, size, "%s", value) < size;
    return fits ? 0 : error_set(e, -EINVAL, "%s is %s", key, *value ? "too long" : "empty");
}

int mail_set(struct alert_target *t, const char *key, const char *value, struct error *e)
{
    if (!strcmp(key, "from"))
        return set_address(t->from, sizeof t->from, key, value, e);
    if (!strcmp(key, "recipients"))
        return set_recipients(t, value, e);
    if (!strcmp(key, "user"))
        return set_text(t->user, sizeof t->user, key, value, e);
    if (!strcmp(key, "password-file"))
        return set_text(t->password_file, sizeof t->password_file, key, value, e);
    if (!strcmp(key, "subject"))
        return set_text(t->subject, sizeof t->subject, key, value, e);
    if (strcmp(key, "starttls") != 0)
        return -ENOENT;
    t->open = !strcmp(value, "if-offered");
    return t->open || !strcmp(value, "required") ? 0 : error_set(e, -EINVAL, "starttls '%.20s': use required or if-offered", value);
}

int mail_finish(const struct alert_target *t, struct error *e)
{
    char room[sizeof t->url];
    int rc = mail_server_read(t->url, room, sizeof room, e);
    if (rc)
        return rc;
    if (!*t->from || !t->recipient_count)
        return error_set(e, -EINVAL, "it needs %s", *t->from ? "recipients" : "from, the sender's address");
    if (!*t->user != !*t->password_file)
        return error_set(e, -EINVAL, "user and password-file go together");
    if (*t->user && t->open && !strncmp(t->url, "smtp://", 7))
        return error_set(e, -EINVAL, "a password is sent over TLS only: leave out starttls = if-offered");
    return 0;
}
