/* What the agent removes from arguments and properties before it stores them.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "base/text/redact.h"

#include <stdlib.h>
#include <string.h>

static void value_is(const char *name, const char *value, const char *wanted)
{
    char *got = redact_value(name, value);
    tap_ok(got && !strcmp(got, wanted), "%s = '%s' becomes '%s'", name, value, wanted);
    if (got && strcmp(got, wanted))
        tap_note("got '%s'", got);
    free(got);
}

static void argument_is(const char *argument, const char *wanted)
{
    char *got = redact_argument(argument);
    tap_ok(got && !strcmp(got, wanted), "argument '%s' becomes '%s'", argument, wanted);
    if (got && strcmp(got, wanted))
        tap_note("got '%s'", got);
    free(got);
}

static void test_names(void)
{
    static const char *const secret[] = {"password",      "db.Password", "javax.net.ssl.keyStorePassword",
                                         "PASSWD",        "pwd",         "passphrase",
                                         "client_secret", "auth",        "OAUTH",
                                         "my-token",      "credentials", "ApiKey",
                                         "api-key",       "api_key",     "api.key",
                                         "accessKey",     "access-key",  "aws.access_key",
                                         "private.key",   "privateKey",  "private_key"};
    static const char *const open[] = {"", "user", "java.home", "key", "keyStore", "pass", "java.class.path", "tok"};
    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        tap_ok(redact_is_secret(secret[i]), "'%s' names a secret", secret[i]);
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        tap_ok(!redact_is_secret(open[i]), "'%s' does not", open[i]);
}

static void test_values(void)
{
    value_is("db.password", "hunter2", "***");
    value_is("db.password", "", "***");
    value_is("db.user", "root", "root");
    value_is("empty", "", "");
    value_is("url", "jdbc:postgresql://bob:hunter2@db:5432/shop", "jdbc:postgresql://***@db:5432/shop");
    value_is("url", "http://a@b@c/d@e?f@g", "http://***@c/d@e?f@g");
    value_is("url", "http://host/path", "http://host/path");
    value_is("urls", "amqp://h1,amqp://bob:hunter2@h2,amqp://h3", "amqp://h1,amqp://***@h2,amqp://h3");
    value_is("urls", "http://u:p@a http://v:q@b", "http://***@a http://***@b");
    value_is("url", "jdbc:mysql://db/shop?user=bob&password=hunter2&ssl=true", "jdbc:mysql://db/shop?user=bob&password=***&ssl=true");
    value_is("url", "jdbc:sqlserver://db;user=bob;password=hunter2;x=1", "jdbc:sqlserver://db;user=bob;password=***;x=1");
    value_is("url", "://", "://");
    value_is("url", "http://u:p@", "http://***@");
    value_is("java.class.path", "/opt/auth-lib.jar:/opt/token.jar", "/opt/auth-lib.jar:/opt/token.jar");
}

static void test_command_lines(void)
{
    value_is("sun.java.command", "app.Main --password hunter2 --port 80", "app.Main --password *** --port 80");
    value_is("sun.java.command", "app.Main --password=hunter2 --port 80", "app.Main --password=*** --port 80");
    value_is("sun.java.command", "app.Main --no-auth --port 80", "app.Main --no-auth --port 80");
    value_is("sun.java.command", "app.Main  x\ttoken=1 ", "app.Main  x\ttoken=*** ");
    value_is("sun.java.command", "app.Main --token", "app.Main --token");
}

static void test_arguments(void)
{
    argument_is("-Ddb.password=a&b;c d", "-Ddb.password=***");
    argument_is("--token=", "--token=***");
    argument_is("-Durl=http://bob:hunter2@h/", "-Durl=http://***@h/");
    argument_is("-Durl=jdbc:mysql://h/db?password=x", "-Durl=jdbc:mysql://h/db?password=***");
    argument_is("-Xmx1g", "-Xmx1g");
    argument_is("", "");
    argument_is("=", "=");
    argument_is("==password==", "==password=***");
    char *name = malloc(5000);
    memset(name, 'x', 4999);
    memcpy(name + 4980, "password=1", 11);
    char *got = redact_argument(name);
    tap_ok(got && strlen(got) == 4992 && !strcmp(got + 4980, "password=***"), "a very long name");
    free(got);
    free(name);
}

int main(void)
{
    test_names();
    test_values();
    test_command_lines();
    test_arguments();
    return tap_done();
}
