"""The viewer's states, checked by axe-core (accessibility): no serious problems, in light and dark, wide and narrow.

tier: default
timeout: 600
"""

import axe
import flamepage
import profiles
from flamepage import ct


def main():
    flamepage.need()
    source, why = axe.fetch()
    if not source:
        ct.skip("accessibility of the viewer", why)
        ct.done()
    profile = profiles.everyday()
    with flamepage.Flame() as page:
        for scheme, size in (("light", (1280, 900)), ("dark", (1280, 900)), ("light", (400, 800))):
            page.prefer(scheme)
            page.window(*size)
            for text, data, fragment, dialog in flamepage.states(profile):
                page.show_json(data, fragment)
                if dialog:
                    page.click_on("#" + dialog)
                found = axe.violations(page, source)
                serious = axe.serious(found)
                ct.ok(not serious, "%s, %d px, %s: axe finds nothing serious" % (scheme, size[0], text), serious)
                for violation in found:
                    if violation not in serious:
                        ct.note("%s: %s %s" % (text, violation["id"], violation["where"]))
        page.show(profile)
        page.run("document.getElementById('title').parentElement.innerHTML = '<button></button>'")
        found = axe.violations(page, source)
        ct.ok(any(v["id"] == "button-name" for v in found), "a button without a name would be found", found)
    ct.done()


main()
