using Weir.Execution.Pools.Calls;

namespace Weir.Execution.Pools.Transport;

/// <summary>
/// Calls that were assigned to a worker and whose frames are not written yet, in the order of their ids. One thread at a time adds, under
/// the pool's lock; one at a time takes, under the lock of the send queue. Bounded: code that finds it full takes before it adds.
/// </summary>
internal sealed class AssignedCalls
{
    /// <summary>As many as one event may assign to one worker before any of them is written.</summary>
    public const int Most = 64;

    private readonly (PoolCall? Call, ulong CallId)[] _ring = new (PoolCall?, ulong)[Most];
    private uint _taken;
    private uint _added;

    public bool IsFull => _added - Volatile.Read(ref _taken) == Most;

    /// <summary>Only while it is not full.</summary>
    public void Add(PoolCall call, ulong callId)
    {
        _ring[_added % Most] = (call, callId);
        Volatile.Write(ref _added, _added + 1);
    }

    public bool TryTake(out PoolCall call, out ulong callId)
    {
        if (_taken == Volatile.Read(ref _added))
        {
            (call, callId) = (null!, 0);
            return false;
        }

        ref var place = ref _ring[_taken % Most];
        (call, callId) = (place.Call!, place.CallId);
        place = default;
        Volatile.Write(ref _taken, _taken + 1);
        return true;
    }
}
