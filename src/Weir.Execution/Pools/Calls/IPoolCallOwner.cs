using Weir.Execution.Diagnostics;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>The pool as one of its calls sees it. Any thread.</summary>
internal interface IPoolCallOwner
{
    /// <summary>The exceptions of calls that do not succeed.</summary>
    CallExceptions Exceptions { get; }

    /// <summary>Creates the sender for the items of a call's streamed request.</summary>
    /// <exception cref="ArgumentNullException">There are no items.</exception>
    RequestSender SenderOf(Call call);

    /// <summary>Begins to observe a call; on its caller's flow.</summary>
    CallObservation Observe(Operation operation);

    /// <summary>Writes the arguments of a call that has a place.</summary>
    /// <returns>What went wrong; <c>null</c> when they are written.</returns>
    Exception? TryWrite(PoolCall call);

    /// <summary>A call that has a place writes its arguments, and gets a worker now or later.</summary>
    void Submit(PoolCall call);

    /// <summary>The token of a call's caller has fired: the caller cancelled, or the deadline passed.</summary>
    void Cancel(PoolCall call);

    /// <summary>Cancels a call; if it has no outcome yet, <paramref name="outcome"/> is it.</summary>
    void Cancel(PoolCall call, CancelReason reason, Exception outcome);

    /// <summary>A call fails before it is submitted. Its place becomes free; if its caller has cancelled before, the call has its outcome already.</summary>
    void Fail(PoolCall call, Exception failure);

    /// <summary>Allows the worker of a stream to send this many more bytes of items; does nothing where no worker sends them any more.</summary>
    void Grant(PoolStream stream, uint bytes);

    /// <summary>Counts a call that did not succeed.</summary>
    void Note(Exception failure, CancelReason reason);

    /// <summary>Keeps the entry of a completed call, for another call.</summary>
    void Keep(PoolCall call);

    /// <summary>A callback of the pool failed.</summary>
    void ReportFailure(Exception failure, string work);
}
