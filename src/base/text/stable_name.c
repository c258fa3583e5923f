#include "base/text/stable_name.h"

#include <ctype.h>
#include <string.h>

enum alphabet { DIGITS, HEX, HEX_AND_LINE, ALNUM };

/* The beginning of a generated class name, and the form of the unique part that the generator appends to it. */
struct pattern {
    const char *before;
    enum alphabet alphabet;
    size_t min, max; /* the length of the unique part; no letter or digit may follow it */
    bool begins;     /* `before` begins a name: no letter, digit, $ or _ may precede it */
};

static const struct pattern patterns[] = {
    /* java.lang.reflect */
    {"$Proxy", DIGITS, 1, 10, true},
    {"jdk.proxy", DIGITS, 1, 10, true},
    {"GeneratedMethodAccessor", DIGITS, 1, 10, true},
    {"GeneratedConstructorAccessor", DIGITS, 1, 10, true},
    {"GeneratedSerializationConstructorAccessor", DIGITS, 1, 10, true},
    /* CGLIB, Spring's, Guice's */
    {"CGLIB$$", HEX, 1, 16, false},
    {"CGLIB$$FastClass$$", HEX, 1, 16, false},
    {"ByGuice$$", HEX, 1, 16, false},
    /* Byte Buddy, and libraries that use it */
    {"$ByteBuddy$", ALNUM, 8, 8, false},
    {"$auxiliary$", ALNUM, 8, 8, false},
    {"$MockitoMock$", ALNUM, 6, 10, false},
    {"$HibernateProxy$", ALNUM, 8, 8, false},
    {"$HibernateInstantiator$", ALNUM, 8, 8, false},
    {"$HibernateAccessOptimizer$", ALNUM, 8, 8, false},
    /* Javassist */
    {"_$$_jvst", HEX_AND_LINE, 3, 32, false},
    {"_$$_javassist_", DIGITS, 1, 10, false},
};

/* After these words, "64" is not the beginning of a random number: libnetty_tcnative_linux_x86_645120839182312345678.so */
static const char *const sixty_four[] = {"x86_", "amd",   "aarch",  "aarch_",    "arm",       "ppc",
                                         "ppc_", "riscv", "riscv_", "loongarch", "loongarch_"};

enum {
    ADDRESS_DIGITS = 16, /* a hidden class */
    HASH_DIGITS_MIN = 5, /* an anonymous class, up to JDK 14; most hashes have ten digits */
    HASH_DIGITS_MAX = 10,
    RANDOM_DIGITS_MIN = 10, /* the 64-bit number of File.createTempFile; one in ten thousand million has fewer digits */
    RANDOM_HEX_MIN = 12,
    UUID_LENGTH = 36,
};

static bool is_hex(char c)
{
    return isdigit((unsigned char)c) || (c >= 'a' && c <= 'f');
}

static bool is_of(enum alphabet alphabet, char c)
{
    return alphabet == DIGITS  ? isdigit((unsigned char)c)
           : alphabet == ALNUM ? isalnum((unsigned char)c)
                               : is_hex(c) || (alphabet == HEX_AND_LINE && c == '_');
}

static size_t run(enum alphabet alphabet, const char *at, const char *end)
{
    const char *from = at;
    while (at < end && is_of(alphabet, *at))
        at++;
    return (size_t)(at - from);
}

static bool is_word_end(const char *at, const char *end)
{
    return at == end || !isalnum((unsigned char)*at);
}

static bool starts(const char *at, const char *end, const char *with)
{
    while (*with && at < end && *at == *with) {
        at++;
        with++;
    }
    return !*with;
}

/* ---- classes ---- */

static bool is_separator(char c)
{
    return c == '.' || c == '/' || c == '+';
}

/* Returns the end of a separator at `at` and the address or hash of a hidden or anonymous class that follows it; `at` if there is none.
 * If is_sure, the text before is certainly generated, and the address or hash may have any length. */
static const char *identity_end(const char *at, const char *end, bool is_sure)
{
    if (at == end || !is_separator(*at))
        return at;
    bool is_address = starts(at + 1, end, "0x");
    const char *digits = at + 1 + (is_address ? 2 : 0);
    size_t n = run(is_address ? HEX : DIGITS, digits, end);
    bool may_be = is_address ? n == ADDRESS_DIGITS : *at != '.' && n >= HASH_DIGITS_MIN && n <= HASH_DIGITS_MAX;
    bool fits = is_sure ? n > 0 : may_be; /* a decimal number after a dot is something else */
    return fits && is_word_end(digits + n, end) ? digits + n : at;
}

/* Finds the address or hash of a class at `at`. *kept is set to the end of the text that stays, to which the caller appends the `*`.
 * Returns where the rest of the name goes on, or `at` if nothing is to be replaced. */
static const char *hidden_end(const char *at, const char *end, const char **kept)
{
    static const char lambda[] = "$$Lambda", form[] = "LambdaForm$";
    size_t number;
    if (starts(at, end, lambda)) {
        *kept = at + sizeof lambda - 1;
        number = *kept < end && **kept == '$' ? run(DIGITS, *kept + 1, end) : 0;
        const char *rest = identity_end(*kept + (number ? 1 + number : 0), end, true);
        return rest > *kept ? rest : at;
    }
    if (starts(at, end, form)) {
        *kept = at + sizeof form - 1;
        *kept += run(ALNUM, *kept, end);
        const char *rest = identity_end(*kept, end, true);
        return rest > *kept ? rest : at;
    }
    *kept = at;
    return identity_end(at, end, false);
}

/* Whether a part that is to be replaced may begin with c. Most names contain no such part, so this quick test saves the slow ones. */
static bool may_begin(char c)
{
    switch (c) {
    case '$':
    case '.':
    case '/':
    case '+':
    case 'B':
    case 'C':
    case 'G':
    case 'L':
    case '_':
    case 'j':
        return true;
    default:
        return false;
    }
}

/* Does the same as hidden_end for the number that a generator of classes appends. */
static const char *generated_end(const char *text, const char *at, const char *end, const char **kept)
{
    bool inside = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '$' || at[-1] == '_');
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const struct pattern *p = &patterns[i];
        if (*at != *p->before || (p->begins && inside) || !starts(at, end, p->before))
            continue;
        *kept = at + strlen(p->before);
        size_t n = run(p->alphabet, *kept, end);
        if (n >= p->min && n <= p->max && is_word_end(*kept + n, end))
            return *kept + n;
    }
    return at;
}

void stable_name_put(struct buffer *out, const char *text, size_t len)
{
    const char *end = text + len, *from = text, *kept, *rest;
    for (const char *at = text; at < end;) {
        if (!may_begin(*at)) {
            at++;
            continue;
        }
        rest = hidden_end(at, end, &kept);
        rest = rest > at ? rest : generated_end(text, at, end, &kept);
        if (rest == at) {
            at++;
            continue;
        }
        buffer_put(out, from, (size_t)(kept - from));
        buffer_u8(out, '*');
        from = at = rest;
    }
    buffer_put(out, from, (size_t)(end - from));
}

/* ---- libraries ---- */

static bool is_uuid(const char *at, const char *end)
{
    static const size_t groups[] = {8, 4, 4, 4, 12};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; at += groups[i++]) {
        if ((i && (at == end || *at++ != '-')) || run(HEX, at, end) != groups[i])
            return false;
    }
    return true;
}

static bool is_after_sixty_four(const char *text, const char *at, const char *end)
{
    bool found = false;
    for (size_t i = 0; i < sizeof sixty_four / sizeof *sixty_four && starts(at, end, "64"); i++) {
        size_t n = strlen(sixty_four[i]);
        found = found || ((size_t)(at - text) >= n && !memcmp(at - n, sixty_four[i], n));
    }
    return found;
}

static bool has_both(const char *at, size_t n)
{
    size_t digits = 0;
    for (size_t i = 0; i < n; i++)
        digits += isdigit((unsigned char)at[i]) != 0;
    return digits && digits < n;
}

/* Finds the random part of a library's file name, which begins at the beginning of a word or of its digits. Its results are those of
 * hidden_end. */
static const char *random_end(const char *text, const char *at, const char *end, const char **kept)
{
    bool after_word = at > text && isalnum((unsigned char)at[-1]), after_digit = at > text && isdigit((unsigned char)at[-1]);
    size_t hex = run(HEX, at, end), digits = run(DIGITS, at, end);
    *kept = at;
    if (!after_word && is_uuid(at, end))
        return at + UUID_LENGTH;
    if (!after_word && hex >= RANDOM_HEX_MIN && is_word_end(at + hex, end) && has_both(at, hex))
        return at + hex;
    if (after_digit)
        return at;
    *kept += is_after_sixty_four(text, at, end) ? 2 : 0;
    return at + digits >= *kept + RANDOM_DIGITS_MIN ? at + digits : at;
}

void stable_name_put_library(struct buffer *out, const char *text, size_t len)
{
    static const char deleted[] = " (deleted)";
    const char *end = text + len, *from = text, *kept, *rest;
    for (const char *at = text; at < end;) {
        if (starts(at, end, deleted)) {
            buffer_put(out, from, (size_t)(at - from));
            from = at += sizeof deleted - 1;
        } else if (is_hex(*at) && (rest = random_end(text, at, end, &kept)) > at) {
            buffer_put(out, from, (size_t)(kept - from));
            buffer_u8(out, '*');
            from = at = rest;
        } else {
            at++;
        }
    }
    buffer_put(out, from, (size_t)(end - from));
}
