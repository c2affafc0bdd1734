using System.Threading.Tasks.Sources;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Writing;

/// <summary>
/// The thread that writes. It sleeps until there is a batch, so an idle process does not wake up. One batch at a time; its caller continues in the thread pool.
/// </summary>
internal sealed class WriterThread : IValueTaskSource
{
    private readonly Action<JobBatch> _commit;
    private readonly Action _afterCommit;
    private readonly object _gate = new();
    private readonly Thread _thread;

    // What is below belongs to who holds the gate.
    private ManualResetValueTaskSourceCore<bool> _done = new() { RunContinuationsAsynchronously = true };
    private JobBatch? _batch;
    private bool _isBusy;
    private bool _isEnding;

    /// <summary>Starts it.</summary>
    /// <param name="commit">Commits a batch. What it throws is thrown to the caller.</param>
    /// <param name="afterCommit">What is to be done before the next batch, for which the caller does not wait. Throws nothing.</param>
    public WriterThread(Action<JobBatch> commit, Action afterCommit)
    {
        (_commit, _afterCommit) = (commit, afterCommit);
        _thread = new Thread(Run) { Name = "weir-jobs-sqlite", IsBackground = true };
        _thread.Start();
    }

    /// <summary>Commits a batch.</summary>
    /// <exception cref="InvalidOperationException">The one before is not committed yet.</exception>
    public ValueTask CommitAsync(JobBatch batch)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isEnding, this);
            if (_isBusy)
            {
                throw new InvalidOperationException("One flow at a time commits.");
            }

            _done.Reset();
            (_batch, _isBusy) = (batch, true);
            Monitor.Pulse(_gate);
            return new ValueTask(this, _done.Version);
        }
    }

    /// <summary>Waits for the batch that is being committed, and ends the thread.</summary>
    public void End()
    {
        lock (_gate)
        {
            _isEnding = true;
            Monitor.Pulse(_gate);
        }

        _thread.Join();
    }

    void IValueTaskSource.GetResult(short token) => _done.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _done.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) => _done.OnCompleted(continuation, state, token, flags);

    private void Run()
    {
        while (Next() is { } batch)
        {
            Exception? error = null;
            try
            {
                _commit(batch);
            }
            catch (Exception thrown)
            {
                error = thrown;
            }

            Complete(error);
            _afterCommit();
        }
    }

    private JobBatch? Next()
    {
        lock (_gate)
        {
            while (_batch is null && !_isEnding)
            {
                Monitor.Wait(_gate);
            }

            var batch = _batch;
            _batch = null;
            return batch;
        }
    }

    // The caller may hand over the next batch from here on.
    private void Complete(Exception? error)
    {
        lock (_gate)
        {
            _isBusy = false;
        }

        if (error is null)
        {
            _done.SetResult(true);
        }
        else
        {
            _done.SetException(error);
        }
    }
}
