namespace Weir;

/// <summary>
/// A service that warms up before it is called: its class does in advance what its first call would have to do (compiling, loading,
/// connecting). Only a worker calls it, on a new instance and before it accepts calls; a pool may disable it. What it
/// throws fails the worker's start. Its method is not an operation.
/// </summary>
public interface IWarmUp
{
    /// <summary>Warms up what all instances share.</summary>
    /// <param name="cancellationToken">Fires when the worker has to exit before it is ready.</param>
    ValueTask WarmUpAsync(CancellationToken cancellationToken);
}
