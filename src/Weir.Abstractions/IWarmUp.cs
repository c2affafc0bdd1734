namespace Weir;

/// <summary>
/// A service that wants to be warm before it is called: its class does what its first call would pay for (compiling, loading,
/// connecting). Only a worker asks for it, on a fresh instance and before it takes calls; a pool may leave it out. What it
/// throws fails the worker's start. Its method is no operation.
/// </summary>
public interface IWarmUp
{
    /// <summary>Warms up whatever all instances share.</summary>
    /// <param name="cancellationToken">Fires when the worker is to leave before it is ready.</param>
    ValueTask WarmUpAsync(CancellationToken cancellationToken);
}
