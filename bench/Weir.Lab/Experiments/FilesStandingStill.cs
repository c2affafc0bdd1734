using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>A caller who takes nothing of endless content, and an operation that takes nothing of what a caller sends: how much is made and sent before the other end stands still?</summary>
internal static class FilesStandingStill
{
    public const string Name = "the other end stands still";
    public const string Made = "made for a standing reader";
    public const string Taken = "taken for a standing operation";
    public const string Answered = "answered afterwards";

    // The windows of both processes and the kernel's buffers; without an end it would be gigabytes within the second.
    private const double MostMegabytes = 16;

    // Less than a server waits for a reader, or a sender, that stands still.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(8);

    public static Case Case(Scale scale, SharedProcesses shared) => new(Name,
    [
        new HostedContender(FileTransfers.Isolated, FileCuts.Launch) { Shared = shared, Drive = (process, cancellation) => MeasureAsync(process, "FilesInWorker", scale, cancellation) },
        new HostedContender(FileTransfers.Inline, ProgramLaunch.OfLab("weir")) { Shared = shared, Drive = (process, cancellation) => MeasureAsync(process, "FilesInline", scale, cancellation) },
    ])
    {
        Shared = shared,
        Rounds = scale.Pick(1, 1, 3),

        // Bytes are counted.
        AtOnce = true,
        WarmUp = false,
    };

    public static IEnumerable<Promise> Promises(Measured measured)
    {
        yield return Promise.Count(
            FormattableString.Invariant($"a reader that takes nothing stops the worker's producer within {MostMegabytes} MB"), measured[FileTransfers.Isolated, Name, Made], Relation.AtMost, MostMegabytes);
        yield return Promise.Count(
            FormattableString.Invariant($"an operation that takes nothing stops its caller within {MostMegabytes} MB"), measured[FileTransfers.Isolated, Name, Taken], Relation.AtMost, MostMegabytes);
        yield return Promise.Count("when both have left, the workers answer", measured[FileTransfers.Isolated, Name, Answered], Relation.Exactly, 2);
    }

    private static async Task<Round> MeasureAsync(ContenderProcess process, string service, Scale scale, CancellationToken cancellation)
    {
        var path = Path.Combine(Path.GetTempPath(), $"weir-lab-{Path.GetRandomFileName()}");
        try
        {
            var still = TimeSpan.FromSeconds(scale.Pick(0.2, 0.5, 2));
            long made, taken;
            using (new StandingCaller(Served.EndPoint(process), $"GET /{service}/Endless?path={Uri.EscapeDataString(path)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))
                made = await StandingCaller.WhenStillAsync(() => Read(path), still, Patience, cancellation);
            using (var sender = new StandingCaller(
                Served.EndPoint(process), $"POST /{service}/Hold HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/octet-stream\r\nContent-Length: {long.MaxValue}\r\n\r\n"))
            {
                taken = await sender.SendUntilStillAsync(still, Patience, cancellation);
            }

            // One for each worker.
            var answers = await Task.WhenAll(Served.FetchAsync(process, $"/{service}/ProcessId", cancellation), Served.FetchAsync(process, $"/{service}/ProcessId", cancellation));
            return new Round().Add(Made, made / 1e6, "MB").Add(Taken, taken / 1e6, "MB").Add(Answered, answers.Count(static answer => answer.Length > 0), "");
        }
        finally
        {
            File.Delete(path);
        }
    }

    // Zero before it has begun.
    private static long Read(string path)
    {
        var bytes = new byte[sizeof(long)];
        try
        {
            using var file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            return RandomAccess.Read(file, bytes, 0) == bytes.Length ? BitConverter.ToInt64(bytes) : 0;
        }
        catch (FileNotFoundException)
        {
            return 0;
        }
    }
}
