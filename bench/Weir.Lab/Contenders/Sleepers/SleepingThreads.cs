using System.Collections.Concurrent;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.Sleepers;

/// <summary>As many threads as the bound allows, all started, behind one queue: what blocking work cannot beat.</summary>
internal sealed class SleepingThreads : IDisposable
{
    // Bounded by the tasks of one round.
    private readonly BlockingCollection<(int Milliseconds, TaskCompletionSource<string> Done)> _queue = [];
    private readonly Thread[] _threads;

    public SleepingThreads(int count)
    {
        _threads = new Thread[count];
        for (var i = 0; i < count; i++)
        {
            _threads[i] = new Thread(Work) { IsBackground = true };
            _threads[i].Start();
        }
    }

    public Task<string> RunAsync(int milliseconds)
    {
        var done = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        _queue.Add((milliseconds, done));
        return done.Task;
    }

    public void Dispose()
    {
        _queue.CompleteAdding();
        foreach (var thread in _threads)
            thread.Join();
        _queue.Dispose();
    }

    private void Work()
    {
        foreach (var (milliseconds, done) in _queue.GetConsumingEnumerable())
        {
            done.SetResult(Sleeping.Bio(milliseconds));
        }
    }
}
