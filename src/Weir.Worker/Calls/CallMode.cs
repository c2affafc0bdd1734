namespace Weir.Worker.Calls;

/// <summary>Which thread a call runs on.</summary>
internal enum CallMode
{
    /// <summary>It begins on the data thread, and mostly ends there: nothing is handed over, nothing copied, and nothing read meanwhile.</summary>
    Inline = 0,

    /// <summary>The thread pool: the data thread goes on reading.</summary>
    Pumped = 1,

    /// <summary>A thread of its own: it waits where it stands for an item to be made, or to come.</summary>
    OwnThread = 2,
}
