namespace Weir.Worker.Calls;

/// <summary>Which thread a call runs on.</summary>
internal enum CallMode
{
    /// <summary>The data thread: nothing is handed over, and nothing is read meanwhile.</summary>
    Inline = 0,

    /// <summary>The thread pool: the data thread goes on reading.</summary>
    Pumped = 1,

    /// <summary>A thread of its own: the producer blocks.</summary>
    OwnThread = 2,
}
