using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>A kind of transport by which calls come: what operators may do with the transport of one call. One for all calls; any thread.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class CallTransport
{
    /// <summary>Cuts the caller off, so that the call's token fires. While the call runs, also from a thread that is not the call's. It must not wait for the call.</summary>
    /// <param name="transport">The call's.</param>
    public abstract void Abort(object transport);

    /// <summary>Names the caller: a user, and from where. On the call's thread.</summary>
    /// <param name="transport">The call's.</param>
    /// <returns><c>null</c> where it is not known.</returns>
    public abstract string? CallerOf(object transport);
}
