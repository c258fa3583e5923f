// Receives remote write 2.0 as Prometheus' client library has it, and prints each request as a line of JSON.
//
// usage: receiver STATUS...      the first line is its port; the n-th request gets the n-th status, and the others 204
//
// A line has the status, the time of the samples, and of a request that was taken its series: labels, value, time, exemplar, type and help.
package main

import (
    "encoding/json"
    "errors"
    "fmt"
    "io"
    "net"
    "net/http"
    "os"
    "strconv"
    "sync"

    "github.com/prometheus/client_golang/exp/api/remote"
    writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
)

type exemplar struct {
    Labels map[string]string `json:"labels"`
    Value  float64           `json:"value"`
    At     int64             `json:"at"`
}

type series struct {
    Labels   map[string]string `json:"labels"`
    Value    float64           `json:"value"`
    At       int64             `json:"at"`
    Type     string            `json:"type"`
    Help     string            `json:"help"`
    Exemplar *exemplar         `json:"exemplar,omitempty"`
}

type store struct {
    lock     sync.Mutex
    statuses []int
}

func labels(refs []uint32, symbols []string) map[string]string {
    found := map[string]string{}
    for i := 0; i+1 < len(refs); i += 2 {
        found[symbols[refs[i]]] = symbols[refs[i+1]]
    }
    return found
}

func read(request *writev2.Request) []series {
    all := []series{}
    for _, one := range request.Timeseries {
        s := series{Labels: labels(one.LabelsRefs, request.Symbols), Value: one.Samples[0].Value, At: one.Samples[0].Timestamp,
            Type: one.Metadata.Type.String(), Help: request.Symbols[one.Metadata.HelpRef]}
        for _, x := range one.Exemplars {
            s.Exemplar = &exemplar{labels(x.LabelsRefs, request.Symbols), x.Value, x.Timestamp}
        }
        all = append(all, s)
    }
    return all
}

func (s *store) Store(request *http.Request, kind remote.WriteMessageType) (*remote.WriteResponse, error) {
    s.lock.Lock()
    defer s.lock.Unlock()
    answer := remote.NewWriteResponse()
    status := 204
    if len(s.statuses) > 0 {
        status, s.statuses = s.statuses[0], s.statuses[1:]
    }
    answer.SetStatusCode(status)
    body, err := io.ReadAll(request.Body)
    message := new(writev2.Request)
    if err == nil {
        err = message.UnmarshalVT(body)
    }
    if err != nil {
        fmt.Println(`{"status": 400}`)
        answer.SetStatusCode(400)
        return answer, err
    }
    line := map[string]any{"status": status, "version": request.Header.Get("X-Prometheus-Remote-Write-Version"),
        "authorization": request.Header.Get("Authorization"), "symbols": len(message.Symbols), "first": message.Symbols[0],
        "at": message.Timeseries[0].Samples[0].Timestamp}
    if status < 300 {
        line["series"] = read(message)
    }
    out, _ := json.Marshal(line)
    fmt.Println(string(out))
    if status >= 300 {
        return answer, errors.New("as the test wants it")
    }
    return answer, nil
}

func main() {
    s := &store{}
    for _, text := range os.Args[1:] {
        status, _ := strconv.Atoi(text)
        s.statuses = append(s.statuses, status)
    }
    listener, err := net.Listen("tcp", "127.0.0.1:0")
    if err != nil {
        panic(err)
    }
    fmt.Println(listener.Addr().(*net.TCPAddr).Port)
    http.Serve(listener, remote.NewWriteHandler(s, remote.MessageTypes{remote.WriteV2MessageType}))
}
