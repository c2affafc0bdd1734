namespace Weir.Execution.Processes;

/// <summary>A thread of the thread pool that goes on by itself with whoever awaits the answers it reads. One thread at a time.</summary>
internal interface IResumer
{
    /// <summary>Whether nothing was given to it yet.</summary>
    bool IsFree { get; }

    /// <summary>It will execute what goes on after so many endings.</summary>
    /// <returns><c>false</c> when it takes no more: that is the thread pool's then.</returns>
    bool TryTake(IThreadPoolWorkItem continuation, int endings);
}
