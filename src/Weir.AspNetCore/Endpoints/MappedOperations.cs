namespace Weir.AspNetCore.Endpoints;

/// <summary>The sources that <c>MapWeir</c> has added, inside groups or not. Filled while the application is set up, by one thread.</summary>
internal sealed class MappedOperations
{
    private readonly List<OperationDataSource> _sources = [];

    internal IReadOnlyList<OperationDataSource> Sources => _sources;

    /// <summary>Whether all endpoints are built when the application starts, because an error in one of them, or a missing policy, is to stop it.</summary>
    internal bool ChecksEndpoints { get; set; }

    /// <summary>Whether requests of operations with a <see cref="JobAttribute"/> can become jobs.</summary>
    internal bool ServesJobs { get; set; }

    /// <summary>Whether the dashboard is served.</summary>
    internal bool HasDashboard { get; set; }

    /// <summary>What happens before the server listens, when everything is mapped.</summary>
    internal List<Action> AtStart { get; } = [];

    internal void Add(OperationDataSource source) => _sources.Add(source);
}
