using Weir.Execution.Diagnostics;
using Weir.Execution.Pools.Core;
using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>What all calls of one pool share. Any thread.</summary>
internal interface IPoolCallOwner
{
    /// <summary>The pool.</summary>
    PoolCore Core { get; }

    /// <summary>What the pool tells of its calls.</summary>
    PoolReports Reports { get; }

    /// <summary>The clock of deadlines.</summary>
    TimeProvider Time { get; }

    /// <summary>The most bytes that the arguments of a call may take.</summary>
    int PayloadLimit { get; }

    /// <summary>Whether workers get the caller of calls.</summary>
    bool SendsCaller { get; }

    /// <summary>Creates the sender for the items of a call's streamed request.</summary>
    /// <exception cref="ArgumentNullException">There are no items.</exception>
    RequestSender SenderOf(Call call);

    /// <summary>Begins to observe a call; on its caller's flow.</summary>
    CallObservation Observe(Operation operation);

    /// <summary>Keeps the entry of a completed call, for another call.</summary>
    void Keep(PoolCall call);
}
