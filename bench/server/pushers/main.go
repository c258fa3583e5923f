// Many Go services that send their profiles as Pyroscope's Go agent does, for script/bench pushers.
//
// usage: pushers capture FOLDER SECONDS ROUNDS              runs a program under the real agent, and keeps what it sends, upload by upload
//        pushers send FOLDER URL SERVICES SECONDS ROUNDS TYPES    sends that for so many services, each every SECONDS, for ROUNDS
//
// TYPES are those of an agent's uploads to send, such as cpu,heap. `send` prints one line of JSON. Each service has a moment of its own in
// the interval, at which its uploads are due; times are measured from then on, so that a slow server is not asked less often. As in the
// agent, an upload that takes longer than 30 s has failed, and nothing is sent again.
package main

import (
    "bytes"
    "compress/gzip"
    "encoding/json"
    "fmt"
    "io"
    "mime/multipart"
    "net"
    "net/http"
    "net/url"
    "os"
    "path/filepath"
    "sort"
    "strconv"
    "strings"
    "sync"
    "time"

    "google.golang.org/protobuf/encoding/protowire"
)

const patience = 30 * time.Second

// One upload of the agent, as it came.
type upload struct {
    Kind, Query, ContentType string
    Body                     []byte
}

func check(err error) {
    if err != nil {
        fmt.Fprintln(os.Stderr, "pushers:", err)
        os.Exit(1)
    }
}

func number(text string) int {
    n, err := strconv.Atoi(text)
    check(err)
    return n
}

// withTime packs the profile again, with another time: the last value of a field counts.
func withTime(profile []byte, nanos int64) []byte {
    plain, err := gzip.NewReader(bytes.NewReader(profile))
    check(err)
    content, err := io.ReadAll(plain)
    check(err)
    content = protowire.AppendVarint(protowire.AppendTag(content, 9, protowire.VarintType), uint64(nanos))
    var packed bytes.Buffer
    writer, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
    _, err = writer.Write(content)
    check(err)
    check(writer.Close())
    return packed.Bytes()
}

// again is the upload as the agent would have sent it at another time.
func (u upload) again(until time.Time, interval time.Duration) upload {
    _, boundary, _ := strings.Cut(u.ContentType, "boundary=")
    reader := multipart.NewReader(bytes.NewReader(u.Body), boundary)
    var body bytes.Buffer
    writer := multipart.NewWriter(&body)
    for {
        part, err := reader.NextRawPart()
        if err == io.EOF {
            break
        }
        check(err)
        content, err := io.ReadAll(part)
        check(err)
        if part.FormName() == "profile" {
            content = withTime(content, until.Add(-interval).UnixNano())
        }
        out, err := writer.CreateFormFile(part.FormName(), part.FileName())
        check(err)
        out.Write(content)
    }
    check(writer.Close())
    query, err := url.ParseQuery(u.Query)
    check(err)
    query.Set("from", strconv.FormatInt(until.Add(-interval).UnixNano(), 10))
    query.Set("until", strconv.FormatInt(until.UnixNano(), 10))
    return upload{u.Kind, query.Encode(), writer.FormDataContentType(), body.Bytes()}
}

// ---- sending ----

type outcome struct {
    seconds float64
    what    string // the status, or why there is none
}

type service struct {
    client *http.Client
    name   string
    phase  time.Duration
}

// newService is a client with connections of its own, from an address of its own among some: a server limits connections by address.
func newService(i, of int, interval time.Duration) service {
    from := &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+i%200))}
    dialer := &net.Dialer{LocalAddr: from, Timeout: patience}
    return service{&http.Client{Timeout: patience, Transport: &http.Transport{DialContext: dialer.DialContext, MaxConnsPerHost: 5}},
        fmt.Sprintf("go-%04d", i), interval * time.Duration(i) / time.Duration(of)}
}

func (s service) send(address string, u upload) string {
    query, _ := url.ParseQuery(u.Query)
    query.Set("name", s.name+"{region=eu,pod="+s.name+"-0}")
    answer, err := s.client.Post(address+"/ingest?"+query.Encode(), u.ContentType, bytes.NewReader(u.Body))
    if err != nil {
        return "no answer"
    }
    defer answer.Body.Close()
    io.Copy(io.Discard, answer.Body)
    return strconv.Itoa(answer.StatusCode)
}

// run sends the uploads of each round when they are due, one after the other.
func (s service) run(address string, start time.Time, interval time.Duration, rounds [][]upload, report chan<- outcome) {
    for i, uploads := range rounds {
        due := start.Add(s.phase + interval*time.Duration(i))
        time.Sleep(time.Until(due))
        for _, u := range uploads {
            what := s.send(address, u)
            report <- outcome{time.Since(due).Seconds(), what}
        }
    }
}

func load(folder string) [][]upload {
    var rounds [][]upload
    for i := 0; ; i++ {
        text, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("%d.json", i)))
        if os.IsNotExist(err) {
            return rounds
        }
        check(err)
        var one []upload
        check(json.Unmarshal(text, &one))
        rounds = append(rounds, one)
    }
}

// due makes the uploads of all rounds before the first is sent, so that making them takes nothing from the server.
func due(captured [][]upload, rounds int, start time.Time, interval time.Duration, kinds string) ([][]upload, int) {
    var all [][]upload
    size := 0
    for i := 0; i < rounds; i++ {
        var one []upload
        for _, u := range captured[i%len(captured)] {
            if strings.Contains(","+kinds+",", ","+u.Kind+",") {
                u = u.again(start.Add(interval*time.Duration(i)), interval)
                one = append(one, u)
                size += len(u.Body)
            }
        }
        all = append(all, one)
    }
    return all, size
}

func quantile(sorted []float64, q float64) float64 {
    if len(sorted) == 0 {
        return 0
    }
    return sorted[int(q*float64(len(sorted)-1))]
}

func send(folder, address string, services int, interval time.Duration, rounds int, kinds string) {
    start := time.Now().Add(time.Second)
    uploads, size := due(load(folder), rounds, start, interval, kinds)
    report := make(chan outcome, 1024)
    var all sync.WaitGroup
    for i := 0; i < services; i++ {
        all.Add(1)
        go func() {
            defer all.Done()
            newService(i, services, interval).run(address, start, interval, uploads, report)
        }()
    }
    go func() {
        all.Wait()
        close(report)
    }()
    times, outcomes := []float64{}, map[string]int{}
    for one := range report {
        times = append(times, one.seconds)
        outcomes[one.what]++
    }
    took := time.Since(start).Seconds()
    sort.Float64s(times)
    check(json.NewEncoder(os.Stdout).Encode(map[string]any{
        "seconds": took, "outcomes": outcomes, "bytes": size * services, "uploads": len(times), "p50": quantile(times, 0.5),
        "p99": quantile(times, 0.99), "max": quantile(times, 1)}))
}

func main() {
    if len(os.Args) == 5 && os.Args[1] == "capture" {
        capture(os.Args[2], time.Duration(number(os.Args[3]))*time.Second, number(os.Args[4]))
    } else if len(os.Args) == 8 && os.Args[1] == "send" {
        send(os.Args[2], os.Args[3], number(os.Args[4]), time.Duration(number(os.Args[5]))*time.Second, number(os.Args[6]), os.Args[7])
    } else {
        fmt.Fprintln(os.Stderr, "usage: pushers capture FOLDER SECONDS ROUNDS | pushers send FOLDER URL SERVICES SECONDS ROUNDS TYPES")
        os.Exit(2)
    }
}
