namespace Weir.Worker.Calls;

/// <summary>Which thread a call runs on.</summary>
internal enum CallMode
{
    /// <summary>On the data thread, where the call usually also completes: no other thread, no copy; no frame is read while it runs there.</summary>
    Inline = 0,

    /// <summary>On the thread pool: the data thread continues to read.</summary>
    Pumped = 1,

    /// <summary>On its own thread: the call blocks while it waits for an item to be produced or received.</summary>
    OwnThread = 2,
}
