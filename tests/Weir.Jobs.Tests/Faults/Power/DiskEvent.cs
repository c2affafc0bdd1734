namespace Weir.Jobs.Tests.Faults.Power;

/// <summary>One call that returned, in the order of all threads.</summary>
/// <param name="Call">Which.</param>
/// <param name="Name">Of the file, without its directory.</param>
internal sealed record DiskEvent(DiskCall Call, string Name)
{
    /// <summary>Of a write, where; of a truncation, how many bytes are left.</summary>
    public long Offset { get; init; }

    /// <summary>Of a write.</summary>
    public byte[] Bytes { get; init; } = [];

    /// <summary>Of a sync: the events before this number are on the disk. One that came while the sync was under way may not be.</summary>
    public int Covers { get; init; }

    /// <summary>What was said: "accepted", "cancelled", "ended", "start" or "done", a job, and more.</summary>
    public string[] Words { get; init; } = [];
}
