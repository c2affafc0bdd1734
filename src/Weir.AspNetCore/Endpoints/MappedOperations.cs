namespace Weir.AspNetCore.Endpoints;

/// <summary>The sources that <c>MapWeir</c> has added, inside groups or not. Filled while the application is set up, by one thread.</summary>
internal sealed class MappedOperations
{
    private readonly List<OperationDataSource> _sources = [];

    internal IReadOnlyList<OperationDataSource> Sources => _sources;

    /// <summary>Whether an endpoint with a <see cref="PolicyRequirement"/> was mapped.</summary>
    internal bool HasPolicyRequirement { get; set; }

    internal void Add(OperationDataSource source) => _sources.Add(source);
}
