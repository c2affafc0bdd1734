using Weir.Jobs.Rules;

namespace Weir.Jobs.Storage;

/// <summary>An event of a job, decided by the rules and applied to its row.</summary>
internal sealed class JobAction
{
    public required Guid Id { get; init; }

    public required JobEvent Happened { get; init; }

    /// <summary>The name of the job's kind, for meters; <c>null</c> where the code that acts does not know it.</summary>
    public string? KindName { get; init; }

    /// <summary>What the rules need of the job's kind.</summary>
    public required JobTraits Kind { get; init; }

    /// <summary>When it happened, and of which attempt. <see cref="JobMoment.IsKeyHeld"/> is the store's to find out.</summary>
    public required JobMoment Moment { get; init; }

    /// <summary>
    /// What it brings: the result of a job that succeeded; why an attempt ended otherwise; other arguments. Empty for nothing.
    /// </summary>
    public ReadOnlyMemory<byte> Payload { get; init; }

    /// <summary>For other arguments: the signature of the operation that wrote them.</summary>
    public ulong Signature { get; init; }

    /// <summary>For other arguments: the key of the job from here on; <c>null</c> where it stays.</summary>
    public string? Key { get; init; }

    // ---- filled in by the commit ----

    /// <summary>The job before; <c>null</c> where there is none with this id.</summary>
    public JobStatus? Before { get; set; }

    /// <summary>What the rules said. Without a job, its verdict is <see cref="JobVerdict.Refused"/>.</summary>
    public JobChange Change { get; set; }
}
