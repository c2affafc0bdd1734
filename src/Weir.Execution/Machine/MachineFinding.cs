namespace Weir.Execution.Machine;

/// <summary>One thing that was tried on this machine.</summary>
/// <param name="Name">What it is.</param>
/// <param name="Level">What is there: the means by which it works, or a figure.</param>
/// <param name="State">What that means.</param>
internal sealed record MachineFinding(string Name, string Level, FindingState State = FindingState.Full)
{
    /// <summary>More about it.</summary>
    public string? Detail { get; init; }

    /// <summary>What to do to have more of it.</summary>
    public string? NextStep { get; init; }
}
