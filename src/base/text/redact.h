/* Replaces secrets in arguments and properties by "***". Secrets are values whose name suggests a secret, wherever the text has
 * name=value or "--name value", and credentials in URLs. Nothing of a secret remains, not even its length. */
#ifndef CANDOR_BASE_TEXT_REDACT_H
#define CANDOR_BASE_TEXT_REDACT_H

#include <stdbool.h>

/* Whether a property, option or variable of that name contains a secret. The name then contains, in upper or lower case, password,
 * passwd, passphrase, passcode, pwd, secret, token, credential or auth, or the word key together with api, access or private. */
bool redact_is_secret(const char *name);
/* Returns the value to show for a name; the caller frees it. NULL when out of memory. */
char *redact_value(const char *name, const char *value);
/* Returns a command-line argument ("-Dname=value", "--name=value", "name=value" or anything else) without its secrets. The caller frees
 * the result. NULL when out of memory. */
char *redact_argument(const char *argument);

#endif
