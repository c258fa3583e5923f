// An OpenTelemetry Collector of the project's own modules, as its builder makes one: it receives OTLP, and passes it on over gRPC or HTTP.
package main

import (
    "fmt"
    "os"

    "go.opentelemetry.io/collector/component"
    "go.opentelemetry.io/collector/confmap"
    "go.opentelemetry.io/collector/confmap/provider/fileprovider"
    "go.opentelemetry.io/collector/exporter"
    "go.opentelemetry.io/collector/exporter/otlpexporter"
    "go.opentelemetry.io/collector/exporter/otlphttpexporter"
    "go.opentelemetry.io/collector/otelcol"
    "go.opentelemetry.io/collector/receiver"
    "go.opentelemetry.io/collector/receiver/otlpreceiver"
    "go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

func factories() (otelcol.Factories, error) {
    all := otelcol.Factories{Telemetry: otelconftelemetry.NewFactory()}
    var err error
    if all.Receivers, err = otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory()); err != nil {
        return all, err
    }
    all.Exporters, err = otelcol.MakeFactoryMap[exporter.Factory](otlpexporter.NewFactory(), otlphttpexporter.NewFactory())
    return all, err
}

func main() {
    command := otelcol.NewCommand(otelcol.CollectorSettings{
        BuildInfo: component.BuildInfo{Command: "collector", Description: "OTLP to OTLP", Version: "0.165.0"},
        Factories: factories,
        ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
            ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()}, DefaultScheme: "file"}},
    })
    if err := command.Execute(); err != nil {
        fmt.Fprintln(os.Stderr, err)
        os.Exit(1)
    }
}
