using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>What happens to a call for which there is no place at once.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum CallAdmission
{
    /// <summary>It waits in the queue, and is rejected at once while the queue is full (HTTP).</summary>
    Queue,

    /// <summary>It waits in the queue, and for a place in it while the queue is full, limited only by its token and its time limit (code).</summary>
    Wait,

    /// <summary>
    /// It is rejected at once unless a worker or a thread is free for it. Where fewer workers run than there may be, that is a worker that starts for it.
    /// </summary>
    Free,
}
