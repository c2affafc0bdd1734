namespace Weir.Jobs.Diagnostics;

/// <summary>What meters observe of a kind of job. Any thread.</summary>
internal interface IObservedKind
{
    string Name { get; }

    /// <summary>How many of its jobs run in this process.</summary>
    long RunningNow { get; }

    /// <summary>About how many wait.</summary>
    long WaitingNow { get; }

    /// <summary>Since when the job that was submitted first, of those that are ready, has been due; <c>null</c> where none is ready.</summary>
    DateTimeOffset? OldestDue { get; }
}
