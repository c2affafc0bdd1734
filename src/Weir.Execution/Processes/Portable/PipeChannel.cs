using System.IO.Pipes;
using Weir.Execution.Threading;

namespace Weir.Execution.Processes.Portable;

/// <summary>
/// The host's end of a named pipe that the worker connects to once it runs; until then sent bytes wait. A channel that is read through
/// <see cref="Attend"/> has its own thread, because there is no portable way to wait for many pipes at once.
/// </summary>
internal sealed class PipeChannel : WorkerChannel
{
    private const int ReadSize = 16 * 1024;
    private const int StackSize = 256 * 1024;

    // When the process ends its pipes end; if one stays open longer than this, another process holds it.
    private static readonly TimeSpan EndPatience = TimeSpan.FromMilliseconds(500);

    private readonly NamedPipeServerStream _pipe;
    private readonly CancellationTokenSource _closing = new();
    private readonly TaskCompletionSource _readToEnd = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task<bool> _connected;
    private readonly Lock _gate = new();

    // Protected by _gate.
    private readonly SendBuffer _sending = new();
    private bool _isWriting;
    private bool _isBroken;
    private Action? _onWritable;

    // Only the thread that Attend starts uses these.
    private readonly byte[] _arrived = new byte[ReadSize];
    private int _taken;
    private int _count;

    public PipeChannel(NamedPipeServerStream pipe)
    {
        _pipe = pipe;
        _connected = ConnectAsync();
    }

    public override int Receive(Span<byte> buffer)
    {
        var read = Read(buffer);
        if (read == 0)
        {
            _readToEnd.TrySetResult();
        }

        return read;
    }

    /// <summary>On the thread that <see cref="Attend"/> starts: takes what that thread has read and not passed on yet.</summary>
    public override int TryReceive(Span<byte> buffer)
    {
        if (_taken == _count)
        {
            return _count == 0 ? 0 : -1;
        }

        var read = Math.Min(buffer.Length, _count - _taken);
        _arrived.AsSpan(_taken, read).CopyTo(buffer);
        _taken += read;
        return read;
    }

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        lock (_gate)
        {
            if (_isBroken)
            {
                return -1;
            }

            var taken = _sending.Add(bytes);
            if (!_isWriting)
            {
                _isWriting = true;
                Callbacks.Queue(this, static channel => _ = channel.WriteAsync(), static (_, _) => { });
            }

            return taken;
        }
    }

    public override void WhenWritable(Action callback)
    {
        lock (_gate)
        {
            if (_isWriting)
            {
                _onWritable = callback;
                return;
            }
        }

        // Not on the caller's flow: the caller holds its own lock.
        Callbacks.Queue(callback, static callback => callback(), static (_, _) => { });
    }

    public override void Attend(Func<bool> onReadable, Action<Exception> onViolation)
    {
        Callbacks.CreateThread("Weir worker control", this, channel => channel.Run(onReadable, onViolation), (_, failure) => onViolation(failure), StackSize).UnsafeStart();
    }

    public override async Task FinishAsync()
    {
        try
        {
            await _readToEnd.Task.WaitAsync(EndPatience, TimeProvider.System);
        }
        catch (TimeoutException)
        {
            Close();
            await _readToEnd.Task;
        }
    }

    public override void End() => _ = FinishAsync();

    public override void Dispose()
    {
        Close();
        _pipe.Dispose();
    }

    private void Close()
    {
        // Also ends a wait for a worker that never connected.
        _closing.Cancel();
        if (_pipe.IsConnected)
        {
            _pipe.Dispose();
        }
    }

    private async Task<bool> ConnectAsync()
    {
        try
        {
            await _pipe.WaitForConnectionAsync(_closing.Token);
            return true;
        }
        catch (Exception ended) when (IsEnd(ended))
        {
            return false;
        }
    }

    private int Read(Span<byte> buffer)
    {
        try
        {
            return _connected.GetAwaiter().GetResult() ? _pipe.Read(buffer) : 0;
        }
        catch (Exception ended) when (IsEnd(ended))
        {
            return 0;
        }
    }

    private void Run(Func<bool> onReadable, Action<Exception> onViolation)
    {
        try
        {
            var wants = true;
            do
            {
                _taken = 0;
                _count = Read(_arrived);
                do
                {
                    wants = wants && onReadable();
                }
                while (wants && _taken < _count);
            }
            while (_count > 0);
        }
        finally
        {
            _readToEnd.TrySetResult();
        }
    }

    private async Task WriteAsync()
    {
        var isOpen = await _connected;
        while (isOpen)
        {
            ReadOnlyMemory<byte> bytes;
            lock (_gate)
            {
                bytes = _sending.Swap();
                _isWriting = !bytes.IsEmpty;
            }

            // Also after the last bytes: the callback may have been set while they were written.
            CallBack();
            if (bytes.IsEmpty)
            {
                return;
            }

            try
            {
                await _pipe.WriteAsync(bytes, _closing.Token);
            }
            catch (Exception ended) when (IsEnd(ended))
            {
                isOpen = false;
            }
        }

        lock (_gate)
        {
            _isBroken = true;
            _isWriting = false;
        }

        CallBack();
    }

    // There is space again, or the channel is broken.
    private void CallBack()
    {
        Action? callback;
        lock (_gate)
        {
            callback = _onWritable;
            _onWritable = null;
        }

        callback?.Invoke();
    }

    private static bool IsEnd(Exception failure) =>
        failure is IOException or ObjectDisposedException or OperationCanceledException or InvalidOperationException;
}
