using System.Diagnostics.CodeAnalysis;

namespace Weir.Execution.Observation;

/// <summary>
/// The last crash reports of all workers of the application, compressed, by their id: at most so many bytes, of which the newest report is kept
/// whatever its size, and the oldest go first. Any thread.
/// </summary>
/// <param name="mostBytes">How much is kept, in bytes.</param>
internal sealed class ReportStore(long mostBytes = ReportStore.DefaultBytes)
{
    /// <summary>How much an application keeps.</summary>
    public const long DefaultBytes = 1 << 20;

    // What a kept report costs besides its characters and its bytes: the objects of its summary, and its node.
    private const int Overhead = 256;

    private readonly Lock _gate = new();

    // Under _gate; the oldest first. Bounded by mostBytes.
    private readonly LinkedList<Kept> _kept = [];
    private long _bytes;
    private long _count;

    /// <summary>How many reports there were so far, those that were dropped too.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>What the kept reports use, in bytes.</summary>
    public long Bytes
    {
        get
        {
            lock (_gate)
            {
                return _bytes;
            }
        }
    }

    /// <summary>The kept reports, the newest first.</summary>
    public IReadOnlyList<CrashReportSummary> Summaries
    {
        get
        {
            lock (_gate)
            {
                return [.. _kept.Reverse().Select(static one => one.Summary)];
            }
        }
    }

    /// <summary>Keeps a report.</summary>
    public void Add(CrashReport report)
    {
        // Not under the lock: it takes a millisecond where the worker printed much.
        var kept = new Kept(Summarize(report), CrashReportJson.Compress(report));
        lock (_gate)
        {
            _kept.AddLast(kept);
            _bytes += kept.Bytes;
            Volatile.Write(ref _count, _count + 1);
            while (_bytes > mostBytes && _kept.First is { } oldest && oldest != _kept.Last)
            {
                _bytes -= oldest.Value.Bytes;
                _kept.RemoveFirst();
            }
        }
    }

    /// <summary>A report as it was made; <c>null</c> where it is not kept.</summary>
    public CrashReport? Find(string id) => TryGetCompressed(id, out var compressed) ? CrashReportJson.Read(compressed) : null;

    /// <summary>The same as JSON, compressed by gzip: what an answer sends as it is.</summary>
    public bool TryGetCompressed(string id, [NotNullWhen(true)] out byte[]? compressed)
    {
        lock (_gate)
        {
            // From the newest: that is the one which is asked for.
            for (var node = _kept.Last; node is not null; node = node.Previous)
            {
                if (node.Value.Summary.Id == id)
                {
                    compressed = node.Value.Json;
                    return true;
                }
            }
        }

        compressed = null;
        return false;
    }

    private static CrashReportSummary Summarize(CrashReport report) => new(
        report.Id, report.At, report.Pool, report.Cause, report.Phase, OperationOf(report), report.ProcessId);

    private static string? OperationOf(CrashReport report)
    {
        foreach (var call in report.Calls)
        {
            if (call.State == "running")
            {
                return call.Operation;
            }
        }

        return null;
    }

    private sealed record Kept(CrashReportSummary Summary, byte[] Json)
    {
        // Pool and operation are texts that others hold, too.
        public long Bytes { get; } = Overhead + Json.Length + (2 * (Summary.Id.Length + Summary.Cause.Length + Summary.Phase.Length));
    }
}
