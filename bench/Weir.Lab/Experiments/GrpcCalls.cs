using Weir.Lab.Isolation;
using Weir.Lab.Load;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>
/// Document 004's operation over gRPC. The lab's own load does not speak it: the calls come from gRPC's client in a process of its own, which
/// takes more of the processors than the load that the others get. HTTP/2 has no pipelining; as many calls are in flight as streams.
/// </summary>
internal static class GrpcCalls
{
    private const string Client = "gRPC's client";

    public static HostedContender Contender(
        SharedProcesses shared, int calls, TimeSpan duration, TimeSpan warmUp, IReadOnlyList<string> paths, IReadOnlyList<string> asked)
    {
        return new HostedContender("gRPC (load by Grpc.Net.Client)", ProgramLaunch.OfNetPeers("grpc"))
        {
            Shared = shared,
            Ask = async (process, cancellation) =>
            {
                var client = await ClientAsync(process, cancellation);
                var answers = new List<string>();
                foreach (var path in asked)
                    answers.Add((await client.AskAsync(new ControlLine("fetch").With("path", path), cancellation))["answer"]);
                return string.Join('\n', answers);
            },
            WarmUp = (process, cancellation) => LoadAsync(process, warmUp, cancellation),
            Drive = (process, cancellation) => RequestCost.MeasureAsync(
                process,
                async opened =>
                {
                    // Each call once: what opening the connections costs is no call's.
                    await LoadAsync(process, TimeSpan.Zero, cancellation);
                    await opened();
                    var loaded = await LoadAsync(process, duration, cancellation);
                    return ((long)loaded.Number("completed"), loaded.Number("seconds"));
                },
                cancellation),
        };

        async Task<ControlLine> LoadAsync(ContenderProcess process, TimeSpan time, CancellationToken cancellation)
        {
            var client = await ClientAsync(process, cancellation);
            return await client.AskAsync(
                new ControlLine("load").With("calls", calls).With("seconds", time.TotalSeconds).With("paths", string.Join(' ', paths)), cancellation);
        }

        // One for all cases, as warm as its server.
        Task<ContenderProcess> ClientAsync(ContenderProcess process, CancellationToken cancellation) =>
            shared.EnterAsync(Client, ProgramLaunch.OfNetPeers("grpc-client", $"url=http://127.0.0.1:{process.Ready["port"]}"), cancellation);
    }
}
