namespace Weir.Execution;

/// <summary>What an application says about running its services. Copied when the application starts.</summary>
public sealed class WeirOptions
{
    /// <summary>The lane of threads for operations that block.</summary>
    public LaneOptions Lane { get; } = new();

    /// <summary>Filters around every operation, in order of registration among equal <see cref="OperationFilterAttribute.Order"/>. Default none.</summary>
    public IList<OperationFilterAttribute> Filters { get; } = [];

    /// <summary>
    /// Runs isolated operations in the application's own process, with its own services, so that a debugger stops in
    /// them. <c>null</c>, the default, does so while a debugger is attached when the application starts.
    /// </summary>
    public bool? RunInline { get; set; }
}
