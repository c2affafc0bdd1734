using Weir.Execution.Processes.Linux.Epoll;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>
/// Always drains one of a worker's output pipes, at a bounded rate: a worker that prints too much waits, not the host. Only the epoll
/// loop's thread uses it.
/// </summary>
internal sealed unsafe class OutputPipe : IReadyHandler
{
    // One read empties a pipe of the default size. The buffer belongs to the epoll loop's thread, so one is enough for all pipes.
    private const int ReadSize = 64 * 1024;

    [ThreadStatic]
    private static byte[]? _sharedBuffer;

    private readonly EpollLoop _loop;
    private readonly Descriptor _pipe;
    private readonly LineSplitter _lines;
    private readonly OutputTail _tail;
    private readonly OutputRate _rate;
    private EpollRegistration? _watch;
    private bool _ended;

    public OutputPipe(EpollLoop loop, Descriptor pipe, OutputStream stream, IOutputSink sink, OutputTail tail, OutputRate rate)
    {
        _loop = loop;
        _pipe = pipe;
        _lines = new LineSplitter(stream, sink);
        _tail = tail;
        _rate = rate;
    }

    public void Start() => _watch = _loop.Add(_pipe, Readiness.Readable, this);

    public void OnReady(Readiness ready)
    {
        var read = ReadOnce();
        if (read == 0)
        {
            End();
            return;
        }

        var wait = read > 0 ? _rate.Take(read, _loop.Now) : 0;
        if (wait > 0)
        {
            _watch!.Pause(wait);
        }
    }

    public void OnFailure(Exception failure) => End();

    /// <summary>
    /// The worker is gone: takes what it left in the pipe, and no more. Does not wait for the end of the pipe:
    /// a descendant that escaped may hold it open without a limit.
    /// </summary>
    public void Finish()
    {
        try
        {
            // Two reads: what a pipe of the default size holds, and what was written while the first was running.
            for (var i = 0; i < 2 && !_ended && ReadOnce() > 0; i++)
            {
            }
        }
        finally
        {
            End();
        }
    }

    private void End()
    {
        if (_ended)
        {
            return;
        }

        _ended = true;
        _watch?.Remove();
        _pipe.Dispose();

        // Last, because a sink may throw: a pipe that stayed registered at its end would keep the epoll loop busy forever.
        _lines.Finish();
    }

    /// <summary>The number of bytes, 0 at the end of the pipe, -1 when it is empty.</summary>
    private int ReadOnce()
    {
        var buffer = _sharedBuffer ??= GC.AllocateUninitializedArray<byte>(ReadSize);
        nint read;
        fixed (byte* start = buffer)
        {
            do
            {
                read = DescriptorCalls.Read(_pipe.Number, start, ReadSize);
            }
            while (read < 0 && Errno.Last == Errno.Interrupted);
        }

        if (read < 0)
        {
            return Errno.Last == Errno.TryAgain ? -1 : 0;
        }

        var bytes = buffer.AsSpan(0, (int)read);
        _tail.Append(bytes);
        _lines.Feed(bytes);
        return (int)read;
    }
}
