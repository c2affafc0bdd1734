using Weir.Execution.Processes.Linux.Epoll;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>The host's end of a socket pair.</summary>
internal sealed unsafe class SocketChannel(Descriptor socket) : WorkerChannel, IReadyHandler
{
    // Only the epoll loop's thread uses these.
    private EpollRegistration? _watch;
    private Readiness _interest;
    private Func<bool>? _onReadable;
    private Action<Exception>? _onViolation;
    private Action? _onWritable;

    public override int Receive(Span<byte> buffer)
    {
        while (true)
        {
            // Poll waits, not recv: on a Unix socket a waiting recv is woken, too, when the worker reads what this side sent.
            WaitUntilReadable();
            if (TryReceive(buffer) is >= 0 and var received)
            {
                return received;
            }
        }
    }

    public override int TryReceive(Span<byte> buffer)
    {
        using var scope = socket.Use();
        fixed (byte* start = buffer)
        {
            while (true)
            {
                var read = SocketCalls.Receive(socket.Number, start, (nuint)buffer.Length, SocketCalls.DoNotWait);
                if (read >= 0)
                {
                    return (int)read;
                }

                // A reset is the end of the channel: the worker died before it read all bytes from the host, and everything it sent was read.
                if (Errno.Last != Errno.Interrupted)
                {
                    return Errno.Last == Errno.TryAgain ? -1 : 0;
                }
            }
        }
    }

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        using var scope = socket.Use();
        fixed (byte* start = bytes)
        {
            while (true)
            {
                var sent = SocketCalls.Send(socket.Number, start, (nuint)bytes.Length, SocketCalls.NoSignal | SocketCalls.DoNotWait);
                if (sent >= 0)
                {
                    return (int)sent;
                }

                // No memory in the kernel counts as no space; when the worker no longer reads, the error number is another.
                if (Errno.Last != Errno.Interrupted)
                {
                    return Errno.Last is Errno.TryAgain or Errno.NoMemory or Errno.NoBuffers ? 0 : -1;
                }
            }
        }
    }

    public override void Attend(Func<bool> onReadable, Action<Exception> onViolation) => Post(() =>
    {
        _onReadable = onReadable;
        _onViolation = onViolation;
        WatchFor(Readiness.Readable);
    });

    public override Task FinishAsync()
    {
        var finished = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Post(() =>
        {
            Read();
            WatchFor(_interest & ~Readiness.Readable);
            _onReadable = null;
        });
        EpollLoop.Shared.Post(finished.SetResult, finished.SetException);
        return finished.Task;
    }

    public override void WhenWritable(Action callback) => Post(() =>
    {
        _onWritable = callback;
        WatchFor(_interest | Readiness.Writable);
    });

    public override void End()
    {
        try
        {
            using var scope = socket.Use();
            _ = SocketCalls.Shutdown(socket.Number, SocketCalls.ShutdownBoth);
        }
        catch (ObjectDisposedException)
        {
            // It has already ended.
        }
    }

    public override void Dispose()
    {
        // If this fails, there is no registration left to remove.
        EpollLoop.Shared.Post(() => _watch?.Remove(), static _ => { });
        socket.Dispose();
    }

    public void OnReady(Readiness ready)
    {
        // A hang-up is reported whether requested or not; the callback and the reader see it when they try to send or receive.
        if ((_interest & Readiness.Writable) != 0)
        {
            var callback = _onWritable;
            _onWritable = null;
            WatchFor(_interest & ~Readiness.Writable);
            callback?.Invoke();
        }

        if ((_interest & Readiness.Readable) != 0 && (ready & ~Readiness.Writable) != 0)
        {
            Read();
        }
    }

    public void OnFailure(Exception failure)
    {
        // No code would handle further events: the registration would report them without end.
        _watch?.Remove();
        _watch = null;
        _interest = Readiness.None;
        _onReadable = null;
        _onWritable = null;
        if (_onViolation is not null)
        {
            _onViolation(failure);
        }
        else
        {
            // The channel is read on another thread, and nothing more can be sent: that reader then sees the end of the channel.
            End();
        }
    }

    private void Post(Action action) => EpollLoop.Shared.Post(action, OnFailure);

    private void Read()
    {
        if (_onReadable is { } reader && !reader())
        {
            _onReadable = null;
            WatchFor(_interest & ~Readiness.Readable);
        }
    }

    // Without an interest nothing is registered: a hang-up would be reported without end.
    private void WatchFor(Readiness interest)
    {
        if (socket.IsClosed)
        {
            return;
        }

        _interest = interest;
        if (_watch is not null)
        {
            _watch.Change(interest);
        }
        else if (interest != Readiness.None)
        {
            _watch = EpollLoop.Shared.Add(socket, interest, this);
        }
    }

    private void WaitUntilReadable()
    {
        using var scope = socket.Use();
        var entry = new SocketCalls.PollEntry { Descriptor = socket.Number, Wanted = SocketCalls.Readable };
        _ = SocketCalls.Poll(&entry, 1, -1);
    }
}
