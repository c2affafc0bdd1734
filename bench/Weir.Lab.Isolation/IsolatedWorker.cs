using System;

namespace Weir.Lab.Isolation;

/// <summary>An environment in which tasks run, apart from the caller or not.</summary>
public abstract class IsolatedWorker : IDisposable
{
    /// <summary>Queues a task whose argument is a small value.</summary>
    public abstract PendingTask QueueTask(int size);

    /// <summary>Queues a task whose argument is the buffer itself.</summary>
    public abstract PendingTask QueueTask(byte[] buffer);

    /// <summary>Takes no more tasks, and returns when those taken are done.</summary>
    public abstract void Stop();

    public void Dispose()
    {
        Stop();
        GC.SuppressFinalize(this);
    }
}
