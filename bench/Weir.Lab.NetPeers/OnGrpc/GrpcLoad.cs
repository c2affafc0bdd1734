using System.Diagnostics;
using System.Text.Json;
using Grpc.Net.Client;
using Microsoft.AspNetCore.WebUtilities;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;

namespace Weir.Lab.NetPeers.OnGrpc;

/// <summary>
/// Calls a gRPC server as the other contenders are called over HTTP/1.1: so many calls in flight, all over one channel, which opens more
/// connections when one has its hundred streams.
/// </summary>
internal static class GrpcLoad
{
    /// <summary><c>url</c> is the server's.</summary>
    public static Task RunAsync(ControlLine settings)
    {
        using var channel = GrpcChannel.ForAddress(settings["url"]);
        var client = new Perf.PerfClient(channel);
        PeerLoop.Run(new ControlLine("ready"), async request => request.Verb switch
        {
            "fetch" => [new ControlLine("ok").With("answer", await FetchAsync(client, request["path"]))],
            "load" => [await LoadAsync(client, request)],
            _ => throw new NotSupportedException($"The client does not know '{request.Verb}'."),
        });
        return Task.CompletedTask;
    }

    // In the form in which all others answer.
    private static async Task<string> FetchAsync(Perf.PerfClient client, string path)
    {
        var reply = await client.EchoAsync(MessageOf(path));
        return JsonSerializer.Serialize(new Echo(reply.Name, reply.Sum), JsonSerializerOptions.Web);
    }

    // So many 'calls' in flight for 'seconds', the 'paths' in turn; each at least once.
    private static async Task<ControlLine> LoadAsync(Perf.PerfClient client, ControlLine request)
    {
        EchoMessage[] messages = [.. request["paths"].Split(' ').Select(MessageOf)];
        var seconds = request.Number("seconds");
        var watch = Stopwatch.StartNew();
        var done = await Task.WhenAll(Enumerable.Range(0, request.Int("calls")).Select(first => Task.Run(async () =>
        {
            long own = 0;
            do
            {
                await client.EchoAsync(messages[(first + own) % messages.Length]);
                own++;
            }
            while (watch.Elapsed.TotalSeconds < seconds);
            return own;
        })));
        return new ControlLine("ok").With("completed", done.Sum()).With("seconds", watch.Elapsed.TotalSeconds);
    }

    private static EchoMessage MessageOf(string path)
    {
        var query = QueryHelpers.ParseQuery(path[path.IndexOf('?', StringComparison.Ordinal)..]);
        return new EchoMessage
        {
            Name = query["name"],
            X = int.Parse(query["x"]!, System.Globalization.CultureInfo.InvariantCulture),
            Y = int.Parse(query["y"]!, System.Globalization.CultureInfo.InvariantCulture),
            E = Enum.Parse<EchoFruit>(query["e"]!),
        };
    }
}
