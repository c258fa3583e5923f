// Sends requests to a server in the way of Grafana's data source: with the stubs of Pyroscope's interface definitions, over Connect, in
// either encoding.
//
// usage: connectclient URL json|proto METHOD REQUEST      REQUEST, and the answer on standard output, are in protobuf's JSON
//
// An error is printed as "error CODE MESSAGE", with status 1.
package main

import (
    "context"
    "fmt"
    "net/http"
    "os"

    "connectrpc.com/connect"
    googlev1 "github.com/grafana/pyroscope/api/gen/proto/go/google/v1"
    querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
    "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1/querierv1connect"
    typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
    "google.golang.org/protobuf/encoding/protojson"
    "google.golang.org/protobuf/proto"
)

func call[Q, A any](f func(context.Context, *connect.Request[Q]) (*connect.Response[A], error), text string) error {
    question := new(Q)
    if err := protojson.Unmarshal([]byte(text), any(question).(proto.Message)); err != nil {
        return err
    }
    answer, err := f(context.Background(), connect.NewRequest(question))
    if err != nil {
        return err
    }
    out, err := protojson.Marshal(any(answer.Msg).(proto.Message))
    fmt.Println(string(out))
    return err
}

func run(url, encoding, method, text string) error {
    options := []connect.ClientOption{}
    if encoding == "json" {
        options = append(options, connect.WithProtoJSON())
    }
    client := querierv1connect.NewQuerierServiceClient(http.DefaultClient, url, options...)
    switch method {
    case "ProfileTypes":
        return call[querierv1.ProfileTypesRequest, querierv1.ProfileTypesResponse](client.ProfileTypes, text)
    case "LabelNames":
        return call[typesv1.LabelNamesRequest, typesv1.LabelNamesResponse](client.LabelNames, text)
    case "LabelValues":
        return call[typesv1.LabelValuesRequest, typesv1.LabelValuesResponse](client.LabelValues, text)
    case "Series":
        return call[querierv1.SeriesRequest, querierv1.SeriesResponse](client.Series, text)
    case "SelectSeries":
        return call[querierv1.SelectSeriesRequest, querierv1.SelectSeriesResponse](client.SelectSeries, text)
    case "SelectMergeStacktraces":
        return call[querierv1.SelectMergeStacktracesRequest, querierv1.SelectMergeStacktracesResponse](client.SelectMergeStacktraces, text)
    case "SelectMergeSpanProfile":
        return call[querierv1.SelectMergeSpanProfileRequest, querierv1.SelectMergeSpanProfileResponse](client.SelectMergeSpanProfile, text)
    case "SelectMergeProfile":
        return call[querierv1.SelectMergeProfileRequest, googlev1.Profile](client.SelectMergeProfile, text)
    case "SelectHeatmap":
        return call[querierv1.SelectHeatmapRequest, querierv1.SelectHeatmapResponse](client.SelectHeatmap, text)
    case "Diff":
        return call[querierv1.DiffRequest, querierv1.DiffResponse](client.Diff, text)
    case "GetProfileStats":
        return call[typesv1.GetProfileStatsRequest, typesv1.GetProfileStatsResponse](client.GetProfileStats, text)
    case "AnalyzeQuery":
        return call[querierv1.AnalyzeQueryRequest, querierv1.AnalyzeQueryResponse](client.AnalyzeQuery, text)
    }
    return fmt.Errorf("%s: no such method", method)
}

func main() {
    if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
        fmt.Println("error", connect.CodeOf(err), err)
        os.Exit(1)
    }
}
