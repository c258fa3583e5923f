// A gRPC service for tests of candor load: Go's gRPC with its health service.
//
// usage: grpc_service [CERTIFICATE KEY]
//
// With a certificate it speaks TLS, and wants the login "Bearer token". Prints its port, and serves until standard input ends; then it prints how many calls of each method it has answered.
package main

import (
    "context"
    "fmt"
    "io"
    "net"
    "os"
    "sync"

    "google.golang.org/grpc"
    "google.golang.org/grpc/codes"
    "google.golang.org/grpc/credentials"
    "google.golang.org/grpc/health"
    "google.golang.org/grpc/health/grpc_health_v1"
    "google.golang.org/grpc/metadata"
    "google.golang.org/grpc/status"
)

func end(err error) {
    fmt.Fprintln(os.Stderr, err)
    os.Exit(1)
}

func login(ctx context.Context) error {
    headers, _ := metadata.FromIncomingContext(ctx)
    if words := headers.Get("authorization"); len(words) == 1 && words[0] == "Bearer token" {
        return nil
    }
    return status.Error(codes.Unauthenticated, "no login")
}

func main() {
    var lock sync.Mutex
    counts := map[string]int{}
    secret := len(os.Args) == 3
    count := func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
        if secret {
            if err := login(ctx); err != nil {
                return nil, err
            }
        }
        lock.Lock()
        counts[info.FullMethod]++
        lock.Unlock()
        return handler(ctx, request)
    }
    listener, err := net.Listen("tcp", "127.0.0.1:0")
    if err != nil {
        end(err)
    }
    options := []grpc.ServerOption{grpc.UnaryInterceptor(count)}
    if secret {
        keys, err := credentials.NewServerTLSFromFile(os.Args[1], os.Args[2])
        if err != nil {
            end(err)
        }
        options = append(options, grpc.Creds(keys))
    }
    server := grpc.NewServer(options...)
    grpc_health_v1.RegisterHealthServer(server, health.NewServer())
    go server.Serve(listener)
    fmt.Println(listener.Addr().(*net.TCPAddr).Port)
    io.Copy(io.Discard, os.Stdin)
    lock.Lock()
    defer lock.Unlock()
    for method, n := range counts {
        fmt.Println(method, n)
    }
}
