// A gRPC service for tests of candor load: Go's gRPC with its health service.
//
// usage: grpc_service
//
// Prints its port, and serves until standard input ends; then it prints how many calls of each method it has answered.
package main

import (
    "context"
    "fmt"
    "io"
    "net"
    "os"
    "sync"

    "google.golang.org/grpc"
    "google.golang.org/grpc/health"
    "google.golang.org/grpc/health/grpc_health_v1"
)

func main() {
    var lock sync.Mutex
    counts := map[string]int{}
    count := func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
        lock.Lock()
        counts[info.FullMethod]++
        lock.Unlock()
        return handler(ctx, request)
    }
    listener, err := net.Listen("tcp", "127.0.0.1:0")
    if err != nil {
        fmt.Fprintln(os.Stderr, err)
        os.Exit(1)
    }
    server := grpc.NewServer(grpc.UnaryInterceptor(count))
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
