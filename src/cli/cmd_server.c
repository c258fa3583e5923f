/* candor server: the back-end. This is the command line of two programs, candor and candor-server. */
#include "cli/cli.h"

static const struct cli_option options[] = {
    {0, "listen", "HOST:PORT", NULL, "where to listen (default 127.0.0.1:4041)"},
    {0, "data", "DIR", NULL, "where everything is kept (default ~/.local/share/candor/server)"},
    {0, "retain", "TIME", NULL, "forget what is older, in whole days of UTC (default 7d)"},
    {0, "max-disk", "SIZE", NULL, "forget the oldest when recordings take more (default 10G)"},
    {0, "max-body", "SIZE", NULL, "refuse recordings that are larger as they are sent (default 64M)"},
    {0, "token-file", "FILE", NULL, "answer only who has one of these tokens"},
    {0, "new-token", "NAME:SCOPES", NULL,
     "make a token, add it to --token-file, print it, and end; scopes: read, write"},
    {0, "no-auth", NULL, NULL, "without tokens listen to others than this machine, too"},
    {0, "origin", "URL", NULL,
     "the URL under which browsers reach the server through a reverse proxy, such as https://NAME; separate several with commas"},
    {0, "tls-cert", "FILE", NULL, "speak TLS with this certificate (PEM)"},
    {0, "tls-key", "FILE", NULL, "its key (PEM)"},
    {0, "check", NULL, NULL, "read all that is kept, mend what can be, name what is damaged, and end"},
    {0, "backup", "DIR", NULL, "write a copy to a new directory, and end"},
    CLI_UNPACK_OPTION,
    {0},
};

const struct cli_command command_server = {
    .name = "server",
    .arguments = "[OPTION...]",
    .summary = "keep recordings of many hosts, and show them over time and together",
    .about = "Takes recordings over HTTP, from 'candor daemon', from Pyroscope's agents (/ingest), or by curl, and "
             "keeps them with their labels: "
             "service, host, version and any others. Its page at / shows the services, one over time, and the flame "
             "graph of any part of "
             "that. The same can be asked for as JSON; docs/formats/server-api.md describes it.\n\n"
             "A recording is acknowledged when it is on the disk. What a crash leaves half done is finished at the "
             "next start; what "
             "is found damaged is put aside, named, and made again from the recording where that is there.\n\n"
             "By default it listens to this machine only, and asks for no token. To listen to others it wants "
             "--token-file: make tokens with "
             "--new-token. With --tls-cert and --tls-key it speaks HTTPS. It stays in the foreground. SIGINT or "
             "SIGTERM ends it; running requests get five seconds to finish, and a second signal ends it at once. It "
             "is a program of its own, candor-server, which has to lie beside candor or in PATH.",
    .examples = "candor server --data /var/lib/candor\n    listens on 127.0.0.1:4041\n"
                "candor server --token-file tokens --new-token web-1:write\n    prints a token for a host\n"
                "candor server --listen 0.0.0.0:4041 --token-file tokens --tls-cert cert.pem --tls-key key.pem\n    "
                "for a fleet\n"
                "curl --data-binary @app.jfr 'http://localhost:4041/v1/recordings?service=shop&host=web-1'\n    sends "
                "a recording\n",
    .options = options,
    .operand = CLI_NOTHING,
    .run = server_command_run,
};
