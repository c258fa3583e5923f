// Sends profiles to a server in the way of other tools' agents.
//
// usage: pushclient agent URL                     Pyroscope's Go agent with all its profiles, until it has sent each of them twice
//        pushclient push URL json|proto [gzip]    push.v1's PushRequest, which is read in protobuf's JSON from standard input
//
// An error is printed as "error CODE MESSAGE", with status 1.
package main

import (
    "context"
    "fmt"
    "io"
    "net/http"
    "os"
    "runtime"
    "sync"
    "time"

    "connectrpc.com/connect"
    pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
    "github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
    "github.com/grafana/pyroscope-go"
    "google.golang.org/protobuf/encoding/protojson"
)

const upload = time.Second

var kept [][]byte
var sum int

func contend(lock *sync.Mutex, end <-chan struct{}) {
    for {
        select {
        case <-end:
            return
        default:
        }
        lock.Lock()
        for i := 0; i < 100000; i++ {
            sum += i * i
        }
        kept = append(kept[:len(kept)%64], make([]byte, 4096))
        lock.Unlock()
    }
}

func wait(end <-chan struct{}) {
    ticks := make(chan int)
    go func() {
        defer close(ticks)
        for {
            select {
            case <-end:
                return
            case <-time.After(5 * time.Millisecond):
                ticks <- 1
            }
        }
    }()
    for range ticks {
    }
}

func agent(url string) error {
    runtime.SetMutexProfileFraction(1)
    runtime.SetBlockProfileRate(1)
    profiler, err := pyroscope.Start(pyroscope.Config{
        ApplicationName: "go.ring",
        ServerAddress:   url,
        UploadRate:      upload,
        Tags:            map[string]string{"region": "eu"},
        ProfileTypes: []pyroscope.ProfileType{
            pyroscope.ProfileCPU, pyroscope.ProfileInuseObjects, pyroscope.ProfileAllocObjects, pyroscope.ProfileInuseSpace,
            pyroscope.ProfileAllocSpace, pyroscope.ProfileGoroutines, pyroscope.ProfileMutexCount, pyroscope.ProfileMutexDuration,
            pyroscope.ProfileBlockCount, pyroscope.ProfileBlockDuration,
        },
    })
    if err != nil {
        return err
    }
    end := make(chan struct{})
    var lock sync.Mutex
    for i := 0; i < 2; i++ {
        go contend(&lock, end)
    }
    go wait(end)
    time.Sleep(3*upload + upload/2)
    close(end)
    return profiler.Stop()
}

func push(url, encoding string, packed bool) error {
    text, err := io.ReadAll(os.Stdin)
    if err != nil {
        return err
    }
    request := &pushv1.PushRequest{}
    if err := protojson.Unmarshal(text, request); err != nil {
        return err
    }
    options := []connect.ClientOption{}
    if encoding == "json" {
        options = append(options, connect.WithProtoJSON())
    }
    if packed {
        options = append(options, connect.WithSendGzip())
    }
    answer, err := pushv1connect.NewPusherServiceClient(http.DefaultClient, url, options...).Push(context.Background(), connect.NewRequest(request))
    if err == nil {
        fmt.Println("taken", answer.Header().Get("X-Candor-Left-Out"))
    }
    return err
}

func main() {
    var err error
    if os.Args[1] == "agent" {
        err = agent(os.Args[2])
    } else {
        err = push(os.Args[2], os.Args[3], len(os.Args) > 4)
    }
    if err != nil {
        fmt.Println("error", connect.CodeOf(err), err)
        os.Exit(1)
    }
}
