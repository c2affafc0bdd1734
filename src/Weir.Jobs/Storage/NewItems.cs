using Weir.Jobs.Rules;

namespace Weir.Jobs.Storage;

/// <summary>Items that an attempt has made: they follow those that the job has.</summary>
internal sealed class NewItems
{
    public required Guid Id { get; init; }

    public required long Fence { get; init; }

    /// <summary>One JSON value each. At least one.</summary>
    public required IReadOnlyList<ReadOnlyMemory<byte>> Items { get; init; }

    // ---- filled in by the commit ----

    public JobVerdict Verdict { get; set; }

    /// <summary>How many items the job has now.</summary>
    public long Count { get; set; }
}
