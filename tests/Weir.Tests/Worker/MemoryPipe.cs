namespace Weir.Tests.Worker;

/// <summary>One direction of a channel in memory. Waits end with the test: they take no longer than thread scheduling.</summary>
internal sealed class MemoryPipe
{
    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    private readonly object _lock = new();
    private readonly List<byte> _bytes = [];
    private bool _ended;
    private bool _stalled;

    /// <summary>While set, writers wait as if the reader did not read.</summary>
    internal bool Stalled
    {
        set
        {
            lock (_lock)
            {
                _stalled = value;
                Monitor.PulseAll(_lock);
            }
        }
    }

    /// <summary>Whether the writer's side has ended.</summary>
    internal bool Ended
    {
        get
        {
            lock (_lock)
            {
                return _ended;
            }
        }
    }

    /// <returns><c>false</c> when the pipe has ended.</returns>
    internal bool Write(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            while (_stalled && !_ended)
            {
                Monitor.Wait(_lock);
            }

            if (_ended)
            {
                return false;
            }

            _bytes.AddRange(bytes);
            Monitor.PulseAll(_lock);
            return true;
        }
    }

    /// <returns>The number of bytes: 0 while there is no reader, -1 when the pipe has ended.</returns>
    internal int TryWrite(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            if (_stalled || _ended)
            {
                return _ended ? -1 : 0;
            }

            _bytes.AddRange(bytes);
            Monitor.PulseAll(_lock);
            return bytes.Length;
        }
    }

    /// <returns>0 at the end.</returns>
    internal int Read(Span<byte> buffer, bool waitsForever = true)
    {
        lock (_lock)
        {
            while (_bytes.Count == 0 && !_ended)
            {
                if (!Monitor.Wait(_lock, waitsForever ? Timeout.InfiniteTimeSpan : Patience))
                {
                    throw new TimeoutException("Nothing came.");
                }
            }

            var count = Math.Min(buffer.Length, _bytes.Count);
            for (var i = 0; i < count; i++)
            {
                buffer[i] = _bytes[i];
            }

            _bytes.RemoveRange(0, count);
            return count;
        }
    }

    internal void End()
    {
        lock (_lock)
        {
            _ended = true;
            Monitor.PulseAll(_lock);
        }
    }
}
