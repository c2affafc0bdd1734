using System.Globalization;
using Weir.Lab.Contenders.OnWeir;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Workers that all read one large file: what it costs in memory, and how long the first read of a worker takes that is ready.</summary>
internal static class SharedModels
{
    public const string Shared = "weir, shared";
    public const string OwnCopies = "each loads it";
    public const string FirstRead = "first read, median";
    public const string ShareOfWorkers = "PSS of the workers";
    public const string BeyondModel = "PSS beyond the file";

    private const int Workers = 8;
    private const double MostFirstRead = 2;

    // 1.15 GB for one of 1 GB: the rest is what eight workers need without it.
    private const double MostBeyond = 150;

    public static string Name(Scale scale) => string.Create(CultureInfo.InvariantCulture, $"{Workers} workers, one file of {Bytes(scale) / 1e6:N0} MB");

    public static Case Case(Scale scale) => new(Name(scale), [Contender(Shared, isShared: true, scale, Availability.Present), Contender(OwnCopies, isShared: false, scale, RoomForCopies(scale))])
    {
        Rounds = scale.Pick(1, 1, 3),
        WarmUp = false,
        Patience = TimeSpan.FromMinutes(5),
    };

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var name = Name(scale);
        yield return Promise.Count(
            FormattableString.Invariant($"{name}: PSS of all workers is at most {MostBeyond} MB beyond it"), measured[Shared, name, BeyondModel], Relation.AtMost, MostBeyond);
        yield return Promise.Latency(FormattableString.Invariant($"{name}: the first read of a ready worker, the median of them, within {MostFirstRead} ms"), measured[Shared, name, FirstRead], MostFirstRead);
        yield return Promise.Count($"{name}: every worker reads what is in the file", measured[Shared, name, "right"], Relation.Exactly, 1);
    }

    private static int Bytes(Scale scale) => scale.Pick(4_000_000, 64_000_000, 1_000_000_000);

    // A copy for each worker, the file in the page cache, and some room.
    private static Availability RoomForCopies(Scale scale)
    {
        var needed = (Workers + 2L) * Bytes(scale);
        var available = ProcFile.Field("/proc/meminfo", "MemAvailable") * 1024;
        return available >= needed ? Availability.Present : Availability.Missing(string.Create(CultureInfo.InvariantCulture, $"{needed / 1e9:0.#} GB of available memory; there are {available / 1e9:0.#} GB"));
    }

    private static FreshContender Contender(string name, bool isShared, Scale scale, Availability needs) =>
        FreshContender.Of(name, ProgramLaunch.OfLab("weir-model"), (process, cancellation) => MeasureAsync(process, isShared, Bytes(scale), cancellation), needs);

    private static async Task<Round> MeasureAsync(ContenderProcess process, bool isShared, int bytes, CancellationToken cancellation)
    {
        var path = Path.Combine(Path.GetTempPath(), $"weir-lab-{Path.GetRandomFileName()}");
        try
        {
            var sum = await WriteAsync(path, bytes, cancellation);
            var read = await process.RunAsync(new ControlLine("model").With("workers", Workers).With("path", path).With("shared", isShared ? "1" : "0"), cancellation);
            var share = process.Meter.Children.Sum(static pid => new ProcessMeter(pid).ProportionalShare);
            return new Round()
                .Add(FirstRead, read[FirstRead], "ms")
                .Add("first read, slowest", read["first read, slowest"], "ms")
                .Add("all ready", read["all ready"], "ms")
                .Add(ShareOfWorkers, share / 1e6, "MB")
                .Add(BeyondModel, (share - bytes) / 1e6, "MB")
                .Add("PSS of the host", process.Meter.ProportionalShare / 1e6, "MB")
                .Add("right", read["sum"] == sum && read["length"] == bytes ? 1 : 0, "");
        }
        finally
        {
            File.Delete(path);
        }
    }

    // What a read of every page gives.
    private static async Task<long> WriteAsync(string path, int bytes, CancellationToken cancellation)
    {
        var sum = 0L;
        await using var file = new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0);
        var block = new byte[1 << 20];
        for (var position = 0; position < bytes;)
        {
            var length = Math.Min(block.Length, bytes - position);
            for (var at = 0; at < length;)
            {
                var piece = GeneratedContent.Piece(position + at, length - at);
                piece.CopyTo(block.AsMemory(at));
                at += piece.Length;
            }

            sum += Models.SumOf(block.AsSpan(0, length));
            await file.WriteAsync(block.AsMemory(0, length), cancellation);
            position += length;
        }

        return sum;
    }
}
