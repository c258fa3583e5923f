// A program with Go's usual addresses of profiles, that works only when it is asked to.
//
// usage: pull ADDRESS     prints the address at which it listens
//
//    GET /work?rounds=N    allocates, and lets goroutines wait for a lock and for a channel; the answer comes when all of it is in the profiles
//    GET /spin?ms=N        uses CPU time
package main

import (
    "fmt"
    "net"
    "net/http"
    _ "net/http/pprof"
    "os"
    "runtime"
    "strconv"
    "sync"
    "time"
)

var kept [][]byte
var sum int

//go:noinline
func allocate(rounds int) {
    for i := 0; i < rounds; i++ {
        kept = append(kept, make([]byte, 1000+i%7*100))
    }
}

//go:noinline
func contend(rounds int) {
    var lock sync.Mutex
    for i := 0; i < rounds; i++ {
        ready, done := make(chan bool), make(chan bool)
        lock.Lock()
        go func() {
            close(ready)
            lock.Lock()
            lock.Unlock()
            close(done)
        }()
        <-ready
        time.Sleep(time.Millisecond)
        lock.Unlock()
        <-done
    }
}

//go:noinline
func spin(end time.Time) {
    for time.Now().Before(end) {
        sum++
    }
}

func park(n int) {
    for i := 0; i < n; i++ {
        go parked()
    }
}

func parked() {
    select {}
}

func number(request *http.Request, name string) int {
    n, err := strconv.Atoi(request.URL.Query().Get(name))
    if err != nil {
        panic(err)
    }
    return n
}

func main() {
    runtime.MemProfileRate = 1
    runtime.SetMutexProfileFraction(1)
    runtime.SetBlockProfileRate(1)
    listener, err := net.Listen("tcp", os.Args[1])
    if err != nil {
        panic(err)
    }
    park(7)
    allocate(50)
    runtime.GC()
    http.HandleFunc("/work", func(out http.ResponseWriter, request *http.Request) {
        rounds := number(request, "rounds")
        allocate(rounds)
        contend(rounds)
        runtime.GC()
        runtime.GC()
        fmt.Fprintln(out, "done")
    })
    http.HandleFunc("/spin", func(out http.ResponseWriter, request *http.Request) {
        spin(time.Now().Add(time.Duration(number(request, "ms")) * time.Millisecond))
    })
    fmt.Println(listener.Addr())
    panic(http.Serve(listener, nil))
}
