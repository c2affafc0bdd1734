namespace Weir.Jobs.Running;

/// <summary>The job whose code runs on this flow: what it submits has it as its parent.</summary>
/// <param name="Id">Its id.</param>
/// <param name="Kind">Its kind.</param>
internal sealed record CurrentJob(Guid Id, string Kind)
{
    private static readonly AsyncLocal<CurrentJob?> OfFlow = new();

    /// <summary><c>null</c> where no job runs.</summary>
    public static CurrentJob? Value => OfFlow.Value;

    /// <summary>From here on the flow is that of a job.</summary>
    public static void Enter(Guid id, string kind) => OfFlow.Value = new CurrentJob(id, kind);
}
