using Weir.Jobs.Rules;

namespace Weir.Jobs.Storage;

/// <summary>
/// Where the turns of a kind are: which priority is next, and in each the key that was served last. After that, the next one in the store's order is next, and after the last one the first.
/// </summary>
/// <param name="Number">A turn of <see cref="PriorityTurns"/>.</param>
/// <param name="High">The key that was served last among jobs of high priority; <c>null</c> begins with the first key.</param>
/// <param name="Normal">Among jobs of normal priority.</param>
/// <param name="Low">Among jobs of low priority.</param>
internal readonly record struct JobTurn(int Number, string? High, string? Normal, string? Low)
{
    /// <summary>The key that was served last in a priority.</summary>
    public string? After(JobPriority priority) => priority switch { JobPriority.High => High, JobPriority.Normal => Normal, _ => Low };

    /// <summary>The turns after a job with this key was served.</summary>
    public JobTurn Served(int number, JobPriority priority, string key) => priority switch
    {
        JobPriority.High => this with { Number = number, High = key },
        JobPriority.Normal => this with { Number = number, Normal = key },
        _ => this with { Number = number, Low = key },
    };
}
