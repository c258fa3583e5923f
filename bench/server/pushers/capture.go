// A program that works as services do (JSON, packing, sorting, maps, waits for locks and channels), under Pyroscope's agent with all its
// profiles, and a server that keeps what the agent sends.
package main

import (
    "bytes"
    "compress/gzip"
    "crypto/sha256"
    "encoding/json"
    "fmt"
    "io"
    "net/http"
    "net/http/httptest"
    "os"
    "path/filepath"
    "regexp"
    "runtime"
    "sort"
    "strings"
    "sync"
    "text/template"
    "time"

    "github.com/grafana/pyroscope-go"
)

// What an upload contains, by the first of its sample types.
var kinds = map[string]string{"alloc_objects": "heap", "goroutine": "goroutine", "goroutines": "goroutine", "mutex_count": "mutex",
    "block_count": "block"}

var order = []string{"cpu", "heap", "goroutine", "mutex", "block"}

type item struct {
    Name  string
    Price float64
    Tags  []string
    Parts map[string]int
}

type shop struct {
    lock  sync.Mutex
    seen  map[[32]byte]int
    items []item
}

var page = template.Must(template.New("page").Parse(`{{range .}}<li>{{.Name}} {{.Price}}{{range .Tags}}, {{.}}{{end}}</li>{{end}}`))
var word = regexp.MustCompile(`item-(\d+)`)

func newShop() *shop {
    s := &shop{seen: map[[32]byte]int{}}
    for i := 0; i < 200; i++ {
        s.items = append(s.items, item{fmt.Sprintf("item-%d", i), float64(i * 7 % 31), strings.Split("a,b,c,d", ","), map[string]int{"x": i}})
    }
    return s
}

func (s *shop) list(w http.ResponseWriter, r *http.Request) {
    items := append([]item(nil), s.items...)
    sort.Slice(items, func(i, j int) bool { return items[i].Price < items[j].Price })
    check(json.NewEncoder(w).Encode(items))
}

func (s *shop) show(w http.ResponseWriter, r *http.Request) {
    var out bytes.Buffer
    check(page.Execute(&out, s.items))
    digest := sha256.Sum256(out.Bytes())
    s.lock.Lock()
    s.seen[digest] += len(word.FindAllString(out.String(), -1))
    s.lock.Unlock()
    packed := gzip.NewWriter(w)
    packed.Write(out.Bytes())
    packed.Close()
}

func ask(address string, end <-chan struct{}) {
    for i := 0; ; i++ {
        select {
        case <-end:
            return
        case <-time.After(10 * time.Millisecond):
        }
        answer, err := http.Get(address + []string{"/list", "/show"}[i%2])
        check(err)
        if i%2 == 0 {
            var items []item
            check(json.NewDecoder(answer.Body).Decode(&items))
        }
        io.Copy(io.Discard, answer.Body)
        answer.Body.Close()
    }
}

// work serves and asks itself until the end.
func work(end <-chan struct{}) {
    s := newShop()
    routes := http.NewServeMux()
    routes.HandleFunc("/list", s.list)
    routes.HandleFunc("/show", s.show)
    server := httptest.NewServer(routes)
    for i := 0; i < 8; i++ {
        go ask(server.URL, end)
    }
    <-end
}

// keeper takes uploads, by kind: those of a round do not begin at the same moment.
type keeper struct {
    lock    sync.Mutex
    uploads map[string][]upload
}

func kindOf(body string) string {
    _, config, found := strings.Cut(body, "sample_type_config")
    if !found {
        return "cpu"
    }
    for name, kind := range kinds {
        if strings.Contains(config, `"`+name+`"`) {
            return kind
        }
    }
    return ""
}

func (k *keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
    body, err := io.ReadAll(r.Body)
    check(err)
    kind := kindOf(string(body))
    if kind == "" {
        check(fmt.Errorf("an upload of an unknown kind: %.300q", body))
    }
    k.lock.Lock()
    defer k.lock.Unlock()
    k.uploads[kind] = append(k.uploads[kind], upload{kind, r.URL.RawQuery, r.Header.Get("Content-Type"), body})
}

// rounds are uploads of all kinds, in the order of time, without the first of each, which is short.
func (k *keeper) rounds() [][]upload {
    k.lock.Lock()
    defer k.lock.Unlock()
    var out [][]upload
    for i := 1; ; i++ {
        var one []upload
        for _, kind := range order {
            if i >= len(k.uploads[kind]) {
                return out
            }
            one = append(one, k.uploads[kind][i])
        }
        out = append(out, one)
    }
}

func capture(folder string, interval time.Duration, rounds int) {
    runtime.SetMutexProfileFraction(5)
    runtime.SetBlockProfileRate(5)
    k := &keeper{uploads: map[string][]upload{}}
    sink := httptest.NewServer(k)
    profiler, err := pyroscope.Start(pyroscope.Config{ApplicationName: "go", ServerAddress: sink.URL, UploadRate: interval,
        ProfileTypes: []pyroscope.ProfileType{
            pyroscope.ProfileCPU, pyroscope.ProfileInuseObjects, pyroscope.ProfileAllocObjects, pyroscope.ProfileInuseSpace,
            pyroscope.ProfileAllocSpace, pyroscope.ProfileGoroutines, pyroscope.ProfileMutexCount, pyroscope.ProfileMutexDuration,
            pyroscope.ProfileBlockCount, pyroscope.ProfileBlockDuration,
        }})
    check(err)
    end := make(chan struct{})
    go work(end)
    for len(k.rounds()) < rounds {
        time.Sleep(interval / 4)
    }
    check(profiler.Stop())
    check(os.MkdirAll(folder, 0o755))
    for i, uploads := range k.rounds()[:rounds] {
        text, err := json.Marshal(uploads)
        check(err)
        check(os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.json", i)), text, 0o644))
        for _, u := range uploads {
            fmt.Println(i, u.Kind, len(u.Body))
        }
    }
}
