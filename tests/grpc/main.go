// Calls a server as OpenTelemetry's Collector and profilers do: with Go's gRPC, and the Collector's own client for profiles.
//
// usage: grpcclient [-gzip] [-cert FILE] [-token TOKEN] [-timeout D] [-times N] HOST:PORT COMMAND
//
//    export          sends OTLP's ExportProfilesServiceRequest, which is read from standard input, N times at once on one connection
//    health SERVICE  asks for the health of a service; "" = the whole server
//    types START END asks Pyroscope's querier.v1 for its profile types; times in ms
//    call METHOD     calls any method with an empty message
//
// Prints an answer for each call: "rejected N MESSAGE", the health, the types, or "error CODE MESSAGE retry=SECONDS".
package main

import (
    "context"
    "crypto/tls"
    "crypto/x509"
    "flag"
    "fmt"
    "io"
    "os"
    "strconv"
    "sync"
    "time"

    querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
    "go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
    "google.golang.org/genproto/googleapis/rpc/errdetails"
    "google.golang.org/grpc"
    "google.golang.org/grpc/credentials"
    "google.golang.org/grpc/credentials/insecure"
    _ "google.golang.org/grpc/encoding/gzip"
    "google.golang.org/grpc/health/grpc_health_v1"
    "google.golang.org/grpc/metadata"
    "google.golang.org/grpc/status"
    "google.golang.org/protobuf/types/known/emptypb"
)

var (
    packed  = flag.Bool("gzip", false, "pack messages")
    cert    = flag.String("cert", "", "the server's certificate; none = no TLS")
    token   = flag.String("token", "", "a token")
    timeout = flag.Duration("timeout", time.Minute, "how long a call may take")
    times   = flag.Int("times", 1, "how often to export")
)

func dial(address string) (*grpc.ClientConn, error) {
    way := insecure.NewCredentials()
    if *cert != "" {
        pem, err := os.ReadFile(*cert)
        if err != nil {
            return nil, err
        }
        pool := x509.NewCertPool()
        pool.AppendCertsFromPEM(pem)
        way = credentials.NewTLS(&tls.Config{RootCAs: pool})
    }
    options := []grpc.DialOption{grpc.WithTransportCredentials(way)}
    if *packed {
        options = append(options, grpc.WithDefaultCallOptions(grpc.UseCompressor("gzip")))
    }
    return grpc.NewClient(address, options...)
}

func say(err error) {
    of, retry := status.Convert(err), "no"
    for _, detail := range of.Details() {
        if info, ok := detail.(*errdetails.RetryInfo); ok {
            retry = strconv.FormatInt(info.RetryDelay.Seconds, 10)
        }
    }
    fmt.Printf("error %s %s retry=%s\n", of.Code(), of.Message(), retry)
}

func export(ctx context.Context, conn *grpc.ClientConn) error {
    message, err := io.ReadAll(os.Stdin)
    if err != nil {
        return err
    }
    var group sync.WaitGroup
    var lock sync.Mutex
    for range *times {
        group.Go(func() {
            request := pprofileotlp.NewExportRequest()
            if err := request.UnmarshalProto(message); err != nil {
                panic(err)
            }
            answer, err := pprofileotlp.NewGRPCClient(conn).Export(ctx, request)
            lock.Lock()
            defer lock.Unlock()
            if err != nil {
                say(err)
                return
            }
            partial := answer.PartialSuccess()
            fmt.Printf("rejected %d %s\n", partial.RejectedProfiles(), partial.ErrorMessage())
        })
    }
    group.Wait()
    return nil
}

func types(ctx context.Context, conn *grpc.ClientConn, start, end string) error {
    from, _ := strconv.ParseInt(start, 10, 64)
    to, _ := strconv.ParseInt(end, 10, 64)
    var answer querierv1.ProfileTypesResponse
    err := conn.Invoke(ctx, "/querier.v1.QuerierService/ProfileTypes", &querierv1.ProfileTypesRequest{Start: from, End: to}, &answer)
    for _, one := range answer.ProfileTypes {
        fmt.Println(one.ID)
    }
    return err
}

func run(ctx context.Context, conn *grpc.ClientConn, arguments []string) error {
    switch arguments[0] {
    case "export":
        return export(ctx, conn)
    case "health":
        answer, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: arguments[1]})
        if err == nil {
            fmt.Println(answer.Status)
        }
        return err
    case "types":
        return types(ctx, conn, arguments[1], arguments[2])
    default:
        return conn.Invoke(ctx, arguments[1], &emptypb.Empty{}, &emptypb.Empty{})
    }
}

func main() {
    flag.Parse()
    conn, err := dial(flag.Arg(0))
    if err != nil {
        fmt.Println(err)
        os.Exit(2)
    }
    ctx, cancel := context.WithTimeout(context.Background(), *timeout)
    defer cancel()
    if *token != "" {
        ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+*token)
    }
    if err := run(ctx, conn, flag.Args()[1:]); err != nil {
        say(err)
    }
}
