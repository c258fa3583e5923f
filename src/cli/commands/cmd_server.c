/* candor server: the command line of the back end, for two programs, candor and candor-server. */
#include "cli/cli.h"

static const struct cli_option options[] = {
    {0, "config", "FILE", NULL, "read options from FILE, too: lines such as max-disk = 200G; the command line takes precedence"},
    {0, "listen", "HOST:PORT,...", NULL, "where to listen, at up to eight addresses (default 127.0.0.1:4041)"},
    {0, "data", "DIR", NULL, "folder for all data (default ~/.local/share/candor/server)"},
    {0, "store", "clickhouse:URL", NULL,
     "keep samples and their sums in ClickHouse, such as clickhouse:http://localhost:8123/candor; all else stays in --data"},
    {0, "store-user", "NAME", NULL, "user of ClickHouse (default: default)"},
    {0, "store-password-file", "FILE", NULL, "file with the password of that user"},
    {0, "store-ca", "FILE", NULL, "trust these certificates (PEM) of ClickHouse, instead of the system's"},
    {0, "weights", "exact|rounded", NULL,
     "how the weights of samples are kept: rounded takes less room, and the sum of each recording stays exact (default exact)"},
    {0, "cold", "s3://BUCKET/PREFIX", NULL,
     "make objects of recordings, as they were sent, in a service that speaks S3; --data then needs room for the newest only"},
    {0, "cold-after", "TIME", NULL, "do so when a recording was received this long ago (default 1h)"},
    {0, "cold-cache", "SIZE", NULL, "keep this much of the objects that were fetched again, in --data (default 1G)"},
    {0, "cold-take-over", NULL, NULL, "use the objects of another server whose --data is lost for good"},
    {0, "s3-endpoint", "URL", NULL,
     "address of the service, such as http://localhost:8333 (default: AWS_ENDPOINT_URL of the environment, otherwise Amazon's)"},
    {0, "s3-region", "NAME", NULL, "its region (default: AWS_REGION of the environment, otherwise us-east-1)"},
    {0, "s3-credentials", "FILE", NULL,
     "file with aws_access_key_id and aws_secret_access_key (default: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment)"},
    {0, "s3-ca", "FILE", NULL, "trust these certificates (PEM) of the service, instead of the system's"},
    {0, "retain", "TIME", NULL, "delete older samples, in whole days of UTC; their sums by hour and by day stay (default 14d)"},
    {0, "retain-hours", "TIME", NULL,
     "delete older sums of samples by hour and stack (default 90d, or as --retain if that is longer; 0: no sums are kept)"},
    {0, "retain-days", "TIME", NULL,
     "delete older sums of samples by day and stack (default 395d, or as --retain-hours if that is longer)"},
    {0, "retain-recordings", "TIME", NULL,
     "delete recordings, as they were sent, that are older; their samples stay (default: as --retain)"},
    {0, "max-disk", "SIZE", NULL,
     "if all data in --data takes more than this, delete the oldest data of the largest services (default 10G)"},
    {0, "max-recordings", "SIZE|N%", NULL,
     "delete the oldest recordings, as they were sent, if they take more than this size or share of --max-disk; their samples stay"},
    {0, "max-disk-per-service", "SIZE|N%", NULL,
     "delete the oldest data of a service if it takes more than this size or share of --max-disk"},
    {0, "dictionary-memory", "SIZE", NULL,
     "keep names and stacks of services in memory up to this size (default 512M); those of others are read when they are needed"},
    {0, "analyze-cpu", "N%", NULL,
     "look for problems in recordings that come in, with at most this share of one processor (default 2%; 0 turns it off)"},
    {0, "resolve-after", "TIME", NULL, "a finding is resolved if the service's recordings do not show it for this time (default 1d)"},
    {0, "max-body", "SIZE", NULL, "refuse recordings that are larger than this when sent (default 64M)"},
    {0, "max-answer", "SIZE", NULL, "refuse queries whose answer would be larger than this (default 256M)"},
    {0, "max-profile", "SIZE|none", NULL,
     "refuse profiles in pprof's format, sent as Pyroscope's agents do, that unpack to more than this (default 4M)"},
    {0, "max-profile-samples", "N|none", NULL, "refuse such profiles that have more samples than this (default 16000)"},
    {0, "max-symbol-length", "N|none", NULL, "cut names in such profiles that have more bytes than this (default 65535, at least 64)"},
    {0, "max-stack-depth", "N|none", NULL,
     "cut stacks in such profiles that have more frames than this, at the root (default 1000; none is 4096)"},
    {0, "max-labels", "N", NULL, "take at most this many labels of a recording (default and most 30)"},
    {0, "max-label-name", "N", NULL, "take labels whose name has at most this many bytes (default and most 1024)"},
    {0, "max-label-value", "N", NULL, "take labels whose value has at most this many bytes (default and most 2048)"},
    {0, "flamegraph-nodes", "N", NULL,
     "show Pyroscope's clients this many functions of a flame graph, unless they ask for a number (default 8192)"},
    {0, "max-flamegraph-nodes", "N", NULL, "refuse their queries for more (default 1048576)"},
    {0, "max-query-length", "TIME|none", NULL, "refuse queries for a longer time than this (default none)"},
    {0, "max-connections", "N", NULL, "refuse connections beyond this number (default 10000)"},
    {0, "max-connections-per-address", "N", NULL,
     "refuse connections of one address beyond this number (default 1000); behind a reverse proxy all clients have the proxy's address"},
    {0, "max-send-wait", "TIME", NULL,
     "refuse a recording with 429 if its request waits for longer than this, because more arrive than the server can store (default 5s)"},
    {0, "client-timeout", "TIME", NULL,
     "close a connection if the headers of a request take longer, or if a body or an answer stops for this time (default 30s)"},
    {0, "token-file", "FILE", NULL, "answer only clients with one of these tokens"},
    {0, "max-requests-per-second", "N", NULL, "refuse requests of a token beyond this number; its line in --token-file may set another"},
    {0, "max-bytes-per-second", "SIZE", NULL, "refuse recordings of a token beyond this rate, on average"},
    {0, "max-burst-bytes", "SIZE", NULL,
     "how much of a token may come at once under --max-bytes-per-second (default: what comes in a second)"},
    {0, "max-bytes-per-minute", "SIZE", NULL, "refuse recordings of a token beyond this size in a minute; its line may set another"},
    {0, "max-bytes-per-hour", "SIZE", NULL, "refuse recordings of a token beyond this size in an hour; its line may set another"},
    {0, "max-series-per-day", "N", NULL,
     "refuse recordings of a token beyond this number of different sets of labels in a day; its line may set another"},
    {0, "max-label-values-per-day", "N", NULL,
     "refuse recordings of a token beyond this number of different values of labels in a day; its line may set another"},
    {0, "new-token", "NAME:SCOPES[:service=PATTERN]", NULL,
     "make a token, add it to --token-file, print it, and end; scopes: read, write, admin, profile (ask for recordings); with a pattern "
     "such as 'shop|cart-*' it is valid for these services only"},
    {0, "no-auth", NULL, NULL, "without tokens, also listen to other machines"},
    {0, "origin", "URL", NULL,
     "the URL under which browsers reach the server through a reverse proxy, such as https://NAME; separate several with commas"},
    {0, "tls-cert", "FILE", NULL, "use TLS with this certificate (PEM)"},
    {0, "tls-key", "FILE", NULL, "private key of the certificate in --tls-cert (PEM)"},
    {0, "tls-client-ca", "FILE", NULL,
     "ask clients for certificates, signed by one of those in FILE (PEM); --token-file says what their holders may do"},
    {0, "proxy-user-header", "NAME", NULL,
     "the header in which a proxy names the person whom it has logged in; --token-file says what that person may do"},
    {0, "proxy-groups-header", "NAME", NULL, "the header in which the proxy lists the person's groups, with commas between them"},
    {0, "proxy-from", "ADDRESS,...", NULL, "addresses or networks of the proxy; from all others these headers are refused"},
    {0, "access-log", "FILE", NULL, "append a line of JSON for each request; - is standard output; SIGHUP opens FILE again"},
    {0, "audit-log", "FILE", NULL, "append a line of JSON for each change that somebody makes; - and SIGHUP as for --access-log"},
    {0, "alerts", "FILE", NULL, "evaluate the rules of this file, and send alerts; read again when it changes"},
    {0, "check-alerts", "FILE", NULL, "read a file for --alerts, report what is wrong with it, and end"},
    {0, "top-methods", "N", NULL,
     "with the metrics of each service at /v1/metrics/prometheus, give the N methods that use most CPU time themselves (default 0)"},
    {0, "pull", "FILE", NULL, "fetch profiles from the programs that this file names, as from Go's net/http/pprof; SIGHUP reads it again"},
    {0, "check-pull", "FILE", NULL, "read a file for --pull, report what is wrong with it, and end"},
    {0, "remote-write", "URL", NULL,
     "send all metrics to Prometheus or another receiver of remote write, such as http://prometheus:9090/api/v1/write"},
    {0, "remote-write-interval", "TIME", NULL, "how often to send them (default 1m)"},
    {0, "remote-write-protocol", "1.0|2.0", NULL, "version of remote write (default 1.0)"},
    {0, "remote-write-token-file", "FILE", NULL, "send the token in this file, as a bearer token"},
    {0, "remote-write-ca", "FILE", NULL, "trust these certificates (PEM) of the receiver, instead of the system's"},
    {0, "forward", "URL,...", NULL, "send each recording on to these servers, too; what they have not taken yet waits in --data"},
    {0, "receive-only", NULL, NULL,
     "keep nothing but what waits to be sent to --forward, and answer no queries; nothing at all with --arrivals"},
    {0, "arrivals", "s3://BUCKET/PREFIX", NULL,
     "with --receive-only: leave each recording there, in place of --forward; otherwise: take over what receivers have left there"},
    {0, "forward-token-file", "FILE", NULL, "send them the token in this file, whose scope is write"},
    {0, "forward-ca", "FILE", NULL, "trust these certificates (PEM) of theirs, instead of the system's"},
    {0, "keeper", "s3://BUCKET/PREFIX", NULL,
     "agree there with other servers which one of them evaluates --alerts and fetches --pull; another one takes over if it dies"},
    {0, "trace-link", "URL", NULL,
     "address of a trace in a tracing system, with {trace} for its id, such as https://jaeger/trace/{trace}; answers with traces link "
     "there"},
    {0, "check", NULL, NULL, "read all data, repair what can be repaired, report the rest, and end"},
    {0, "backup", "DIR|s3://BUCKET/PREFIX", NULL, "write a copy to a new directory, or as objects, and end"},
    {0, "restore", "DIR|s3://BUCKET/PREFIX", NULL, "make --data, which must be new or empty, from this backup, check it, and end"},
    {0, "copy-store", "DIR", NULL,
     "copy all data to a new directory, whose samples are in ClickHouse (--store) if they are in files now, and in files if they are "
     "there, "
     "and end"},
    {0, "copy-cold", "s3://BUCKET/PREFIX|disk", NULL,
     "copy the recordings in object storage (--cold) to another place or back to the disk, and exit; from then on, start the server with "
     "that place as --cold, or without --cold"},
    CLI_UNPACK_OPTION,
    {0},
};
_Static_assert(sizeof options / sizeof *options <= CLI_OPTIONS_MAX, "cli.h has room for them");

const struct cli_command command_server = {
    .name = "server",
    .arguments = "[OPTION...]",
    .summary = "keep recordings of many hosts, and show them over time and together",
    .about = "Receives recordings over HTTP, from 'candor daemon', from agents of Pyroscope and OpenTelemetry, or by curl, "
             "and keeps them with their labels: service, host, version and any others. Its page at / shows the "
             "services, a service over time, and the flame graph of any part of that. The same is available as JSON; "
             "docs/formats/server-api.md describes it.\n\n"
             "The server acknowledges a recording when it is on the disk. After a crash it finishes incomplete work "
             "at the next start. It puts damaged files aside, reports them, and rebuilds them from the recording if "
             "that is still there.\n\n"
             "By default it listens to this machine only, and requires no token. To listen to others it requires "
             "--token-file: make tokens with --new-token. With --tls-cert and --tls-key it uses HTTPS. It stays in "
             "the foreground. SIGINT or SIGTERM ends it; running requests get five seconds to finish, and a second "
             "signal ends it at once. SIGHUP makes it read --config, --token-file and the certificate again. It is a separate program, "
             "candor-server, which must be beside candor or in "
             "PATH.",
    .examples =
        "candor server --data /var/lib/candor\n    listens on 127.0.0.1:4041\n"
        "candor server --token-file tokens --new-token 'web-1:write:service=shop'\n    prints a token for a host that sends one service\n"
        "candor server --listen 0.0.0.0:4041 --token-file tokens --tls-cert cert.pem --tls-key key.pem\n    "
        "for a fleet\n"
        "curl --data-binary @app.jfr 'http://localhost:4041/v1/recordings?service=shop&host=web-1'\n    sends "
        "a recording\n",
    .often = "data,listen,config,token-file,retain",
    .options = options,
    .operand = CLI_NOTHING,
    .run = server_command_run,
};
