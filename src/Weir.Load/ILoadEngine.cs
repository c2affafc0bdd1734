using Weir.Load.Measuring;

namespace Weir.Load;

/// <summary>Sends the requests of one load test.</summary>
internal interface ILoadEngine : IDisposable
{
    /// <summary>What its threads see; each result has one writer while the load runs.</summary>
    IReadOnlyList<LoadResult> Results { get; }

    /// <summary>Sends until the load is over. Once, and not after it was disposed.</summary>
    /// <param name="stopping">Ends the load early; the results are those until then.</param>
    /// <param name="cancellationToken">Ends it with an exception.</param>
    Task RunAsync(CancellationToken stopping, CancellationToken cancellationToken);
}
