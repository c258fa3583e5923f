/* Addresses of traces: each place of a template, ids of any length, what is no template and no id.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "base/text/trace_link.h"

#include <errno.h>
#include <string.h>

static void makes(const char *template, const char *trace, const char *span, const char *wanted)
{
    char out[TRACE_LINK_MAX];
    struct error e;
    bool good = !trace_link_check(template, &e);
    trace_link_write(out, sizeof out, template, trace, span);
    if (!tap_ok(good && !strcmp(out, wanted), "%s of %s", template, trace))
        tap_note("'%s', not '%s'", out, wanted);
}

static void refuses(const char *template)
{
    struct error e = {""};
    tap_ok(trace_link_check(template, &e) == -EINVAL && strstr(e.text, "--trace-link"), "'%.60s' is no template: %s", template, e.text);
}

int main(void)
{
    static const char trace[] = "4bf92f3577b34da6a3ce929d0e0e4736";
    char small[24], longest[TRACE_LINK_MAX];
    makes("https://j/trace/{trace}", trace, "", "https://j/trace/4bf92f3577b34da6a3ce929d0e0e4736");
    makes("http://z/{trace64}?s={span}", trace, "00f067aa0ba902b7", "http://z/a3ce929d0e0e4736?s=00f067aa0ba902b7");
    makes("https://d/{trace10}/{trace10}", trace, "", "https://d/11803532876627986230/11803532876627986230");
    makes("https://d/{trace10}", "ff", "", "https://d/255");
    makes("https://d/{trace64}", "ff", "", "https://d/ff");
    makes("https://d/%7B{trace}%7D", "00", "", "https://d/%7B00%7D");
    makes("https://d/{trace}", "", "", "");
    makes("https://d/{trace}", "4bf9\"><script>", "", "");
    makes("https://d/{trace}{span}", "ff", "x", "");
    refuses("j/{trace}");
    refuses("https://j/");
    refuses("https://j/{span}");
    refuses("https://j/{trace}{x}");
    refuses("https://j/{trace");
    refuses("https://j/{trace} ");
    refuses("https://j/{trace}\"");
    memset(longest, 'a', sizeof longest);
    memcpy(longest, "https://j/{trace}", strlen("https://j/{trace}"));
    longest[sizeof longest - 1] = 0;
    refuses(longest);
    trace_link_write(small, sizeof small, "https://j/{trace}{trace}", trace, "");
    tap_ok(strlen(small) < sizeof small, "a short buffer is not overrun");
    return tap_done();
}
