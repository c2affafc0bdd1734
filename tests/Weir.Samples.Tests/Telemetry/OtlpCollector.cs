using System.Net;
using System.Threading.Channels;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;

namespace Weir.Samples.Tests.Telemetry;

/// <summary>Receives traces and log records over OTLP/HTTP, from the host and from its workers.</summary>
internal sealed class OtlpCollector : IAsyncDisposable
{
    private readonly WebApplication _server;

    // Bounded by what one test exports.
    private readonly Channel<OtlpSpan> _spans = Channel.CreateUnbounded<OtlpSpan>();
    private readonly Channel<OtlpLogRecord> _records = Channel.CreateUnbounded<OtlpLogRecord>();

    private OtlpCollector()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        _server = builder.Build();
        _server.MapPost("/v1/traces", (HttpRequest request) => ReceiveAsync(request, OtlpSpan.Read, _spans));
        _server.MapPost("/v1/logs", (HttpRequest request) => ReceiveAsync(request, OtlpLogRecord.Read, _records));
        _server.MapPost("/v1/metrics", static () => { });
    }

    public Uri Address => new(_server.Urls.Single());

    public static async Task<OtlpCollector> StartAsync()
    {
        var collector = new OtlpCollector();
        await collector._server.StartAsync();
        return collector;
    }

    /// <summary>Waits until there are so many spans of a trace. Sources are static: applications of other tests in this process may be heard, too.</summary>
    public async Task<IReadOnlyList<OtlpSpan>> SpansAsync(string trace, int count, CancellationToken cancel)
    {
        var spans = new List<OtlpSpan>();
        while (spans.Count < count)
        {
            if (await _spans.Reader.ReadAsync(cancel) is var span && span.TraceId == trace)
            {
                spans.Add(span);
            }
        }

        return spans;
    }

    /// <summary>Waits for the first log record with this template.</summary>
    public async Task<OtlpLogRecord> LogRecordAsync(string template, CancellationToken cancel)
    {
        while (true)
        {
            if (await _records.Reader.ReadAsync(cancel) is var record && record.Template == template)
            {
                return record;
            }
        }
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private static async Task ReceiveAsync<T>(HttpRequest request, Func<ReadOnlyMemory<byte>, IEnumerable<T>> read, Channel<T> received)
    {
        using var body = new MemoryStream();
        await request.Body.CopyToAsync(body);
        foreach (var one in read(body.ToArray()))
        {
            await received.Writer.WriteAsync(one);
        }
    }
}
