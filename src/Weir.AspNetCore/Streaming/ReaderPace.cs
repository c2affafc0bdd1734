namespace Weir.AspNetCore.Streaming;

/// <summary>
/// How fast one reader takes its stream, measured at its connection. The server's own buffer takes 64 KB for a reader before it makes a
/// writer wait, also for a reader that takes nothing. So a stream sends small pieces, and waits after each until the operating system
/// takes more, until its reader has taken some of them without delay; and again after a flush that took long.
/// Used by one send at a time.
/// </summary>
/// <param name="isWritable">Whether the operating system takes more for the connection. A closed connection is writable.</param>
/// <param name="time">The clock.</param>
internal sealed class ReaderPace(Func<bool> isWritable, TimeProvider time)
{
    /// <summary>Bytes of a piece for a reader that is not known to be fast.</summary>
    internal const int PieceSize = 8 * 1024;

    /// <summary>Bytes that a reader takes without delay before it is known to be fast.</summary>
    internal const int Proof = 256 * 1024;

    // The least that a timer waits.
    private static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(1);

    // A reader that has not been ready for minutes is checked once a second.
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    // A fast reader on a busy machine is delayed as well.
    private static readonly TimeSpan Delay = TimeSpan.FromMilliseconds(20);

    private int _taken;

    /// <summary>Whether the reader has shown that it takes what is sent.</summary>
    internal bool IsFast => _taken >= Proof;

    /// <summary>Called after bytes were sent and the server's buffer has taken them: completes when the reader may be sent more.</summary>
    internal ValueTask TakenAsync(int bytes, CancellationToken cancellationToken)
    {
        if (IsFast)
        {
            return default;
        }

        _taken += bytes;
        return isWritable() ? default : WaitAsync(cancellationToken);
    }

    /// <summary>Called after a flush for which the server's buffer made the stream wait.</summary>
    internal void Flushed(TimeSpan duration)
    {
        if (duration >= Delay)
        {
            _taken = 0;
        }
    }

    // Each wait is a quarter of the time so far: what the operating system still has to send covers that time for a steady reader.
    private async ValueTask WaitAsync(CancellationToken cancellationToken)
    {
        var began = time.GetTimestamp();
        do
        {
            var wait = time.GetElapsedTime(began) / 4;
            await Task.Delay(wait < Shortest ? Shortest : wait > Longest ? Longest : wait, time, cancellationToken);
        }
        while (!isWritable());

        Flushed(time.GetElapsedTime(began));
    }
}
