// tests/java/Goroutines.java calls this library: goroutines compute on their own small stacks, and allocate, so that Go's collector runs.
package main

// #include <stdint.h>
import "C"

import (
    "sync/atomic"
    "time"
)

const keys = 500

var rounds int64
var resting int32

func descend(depth int) int {
    if depth == 0 {
        x := 0
        for i := 0; i < 20000; i++ {
            x += i * i
        }
        return x
    }
    return descend(depth-1) + 1
}

func compute() {
    want := descend(5)
    for {
        places := map[int]int{}
        for i := 0; i < keys; i++ {
            places[i] = i
        }
        sum := 0
        for _, v := range places {
            sum += v
        }
        if sum != keys*(keys-1)/2 || descend(5) != want {
            panic("a goroutine has computed something else than before")
        }
        atomic.AddInt64(&rounds, 1)
        for atomic.LoadInt32(&resting) != 0 {
            time.Sleep(10 * time.Millisecond)
        }
    }
}

//export Java_Goroutines_start
func Java_Goroutines_start(env, class uintptr, n C.int32_t) {
    for i := 0; i < int(n); i++ {
        go compute()
    }
}

//export Java_Goroutines_rounds
func Java_Goroutines_rounds(env, class uintptr) C.int64_t {
    return C.int64_t(atomic.LoadInt64(&rounds))
}

//export Java_Goroutines_rest
func Java_Goroutines_rest(env, class uintptr, on C.uint8_t) {
    atomic.StoreInt32(&resting, int32(on))
}

func main() {}
