namespace Weir.Generator.Model;

/// <summary>How calls of an operation run as jobs.</summary>
/// <param name="Kind">The name of the kind.</param>
/// <param name="IsNamed">Whether the attribute names it; otherwise it is <c>Service/Operation</c>.</param>
internal sealed record JobModel(string Kind, bool IsNamed)
{
    /// <summary>0 for the default.</summary>
    public int Attempts { get; init; }

    /// <summary><c>null</c> for no limit.</summary>
    public TimeSpan? Timeout { get; init; }

    public TimeSpan Backoff { get; init; }

    public TimeSpan MaxBackoff { get; init; }

    /// <summary>0 for the default.</summary>
    public int Concurrency { get; init; }

    /// <summary>0 for no limit.</summary>
    public int MaxPerKey { get; init; }

    /// <summary>0 for no limit.</summary>
    public int MaxTotal { get; init; }

    /// <summary>The position of the parameter that is the key; <c>null</c> for none.</summary>
    public int? KeyParameter { get; init; }

    /// <summary>The number of a <c>JobRespond</c>; 0 for the default.</summary>
    public int Respond { get; init; }

    /// <summary><c>null</c> where jobs are made only by submitting them.</summary>
    public ScheduleModel? Schedule { get; init; }

    /// <summary>The type whose method has the attribute, for finding its symbol again; <c>null</c> for one of another assembly.</summary>
    public string? DeclaringType { get; init; }
}
