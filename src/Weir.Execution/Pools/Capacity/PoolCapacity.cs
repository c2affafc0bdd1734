using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Capacity;

/// <summary>One pool's part of the capacity of its host.</summary>
/// <param name="host">Decides, under its lock; see there for the order of the locks.</param>
/// <param name="minimum">How many workers the pool may have even if there are fewer processors and these are overloaded.</param>
internal sealed class PoolCapacity(HostCapacity host, int minimum = 0) : IWorkerCapacity
{
    private ICapacityUser? _user;
    private volatile int _minimum = minimum;

    /// <summary>How many workers the pool may have even if there are fewer processors and these are overloaded. Any thread.</summary>
    public int Minimum { get => _minimum; set => _minimum = value; }

    /// <summary>The pool. Called without a lock.</summary>
    public ICapacityUser User => _user!;

    /// <summary>For how many workers the pool has reserved capacity. Changed by the host, under its lock.</summary>
    public int Reserved { get; set; }

    /// <summary>For how many workers the pool was refused capacity and was not called yet; 0 for none. Changed by the host, under its lock.</summary>
    public int Refused { get; set; }

    /// <summary>The pool starts. Called once, before it reserves capacity.</summary>
    public void Open(ICapacityUser user)
    {
        _user = user;
        host.Add(this);
    }

    /// <summary>The pool is drained.</summary>
    public void Close() => host.Remove(this);

    public int Reserve(int wanted) => host.Reserve(this, wanted);

    public void Release(int count) => host.Release(this, count);

    /// <inheritdoc cref="HostCapacity.Measure"/>
    public void Measure() => host.Measure();

    /// <inheritdoc cref="HostCapacity.TakeSharedProcessLimit"/>
    public long? TakeSharedProcessLimit() => host.TakeSharedProcessLimit();
}
