using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Weir.Lab.Isolation;

/// <summary>
/// The pool of document 003: a bounded queue, and threads that each own one worker process. It is built as described
/// there, with what that entails: a thread is counted when it runs, not when growth was decided, so that a burst can pass
/// the maximum; stopping waits for the queue, not for the exchange that is under way; a worker that dies takes the host along.
/// </summary>
public sealed class ProcessPoolWorker : IsolatedWorker
{
    private const int QueueLength = 10;

    private readonly WorkerProgram _program;
    private readonly string _mode;
    private readonly TaskKind _kind;
    private readonly int _min;
    private readonly int _max;
    private readonly TimeSpan _idleTimeout;

    private readonly BlockingCollection<KeyValuePair<byte[], PendingTask>> _queue =
        new BlockingCollection<KeyValuePair<byte[], PendingTask>>(QueueLength);

    private readonly List<Thread> _threads = new List<Thread>();
    private readonly AutoResetEvent _ended = new AutoResetEvent(false);
    private readonly object _lock = new object();
    private int _created;
    private int _working;

    public ProcessPoolWorker(
        WorkerProgram program, string mode, TaskKind kind, int min = 1, int max = 20, int idleTimeoutMilliseconds = 10000)
    {
        _program = program;
        _mode = mode;
        _kind = kind;
        _min = min;
        _max = max;
        _idleTimeout = TimeSpan.FromMilliseconds(idleTimeoutMilliseconds);
    }

    public override PendingTask QueueTask(int size) =>
        throw new NotSupportedException("The document's pool takes buffers only.");

    /// <summary>Waits while the queue is full.</summary>
    public override PendingTask QueueTask(byte[] buffer)
    {
        var pending = new PendingTask();
        _queue.Add(new KeyValuePair<byte[], PendingTask>(buffer, pending));
        Grow();
        return pending;
    }

    public override void Stop()
    {
        _queue.CompleteAdding();
        while (!_queue.IsCompleted)
            _ended.WaitOne();
    }

    private void Grow()
    {
        lock (_lock)
        {
            if (_created >= _max || _created > _working || _queue.Count == 0 || _queue.IsCompleted)
                return;
        }

        var thread = new Thread(OwnProcess);
        _threads.Add(thread);
        thread.Start();
    }

    private bool MayShrink()
    {
        lock (_lock)
            return _queue.Count == 0 && _created > _min;
    }

    private void OwnProcess()
    {
        lock (_lock)
            _created++;

        using (var process = _program.StartPiped(_mode, _kind))
        {
            process.PriorityClass = ProcessPriorityClass.BelowNormal;
            Serve(process);
            lock (_lock)
                _created--;

            process.StandardInput.Close();
            process.WaitForExit();
        }

        _ended.Set();
    }

    // Until the queue is finished, or this process has been idle and is one too many.
    private void Serve(Process process)
    {
        while (!_queue.IsCompleted)
        {
            if (!_queue.TryTake(out var item, _idleTimeout))
            {
                if (MayShrink())
                    return;
                continue;
            }

            Grow();
            lock (_lock)
                _working++;

            process.StandardInput.WriteLine(Convert.ToBase64String(item.Key));
            item.Value.ReturnValue = process.StandardOutput.ReadLine();
            item.Value.Done.Set();

            lock (_lock)
                _working--;
        }
    }
}
