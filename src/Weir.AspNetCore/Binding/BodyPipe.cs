using System.IO.Pipelines;

namespace Weir.AspNetCore.Binding;

/// <summary>
/// Reads a request's body until a token fires. The token is not passed to the server's reader: after it fired, Kestrel's reader would stay
/// middle of a read ("Reading is already in progress"), and the connection could not be used again.
/// </summary>
internal static class BodyPipe
{
    /// <summary>Reads what has arrived, or waits for it. The result is never a cancelled one.</summary>
    /// <exception cref="OperationCanceledException">The token fired.</exception>
    internal static ValueTask<ReadResult> ReadAsync(PipeReader reader, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var reading = reader.ReadAsync(CancellationToken.None);
        if (!reading.IsCompletedSuccessfully)
        {
            return AwaitAsync(reading, reader, cancellationToken);
        }

        var result = new ValueTask<ReadResult>(reading.Result);
        return result.Result.IsCanceled ? AwaitAsync(result, reader, cancellationToken) : result;
    }

    /// <summary>Ends a read: a callback for tokens and timers, which must not throw.</summary>
    /// <param name="reader">A <see cref="PipeReader"/>.</param>
    internal static void CancelRead(object? reader)
    {
        try
        {
            ((PipeReader)reader!).CancelPendingRead();
        }
        catch (Exception)
        {
            // The request was aborted: then every method of the server's reader throws this, and the read has ended.
        }
    }

    private static async ValueTask<ReadResult> AwaitAsync(ValueTask<ReadResult> reading, PipeReader reader, CancellationToken cancellationToken)
    {
        while (true)
        {
            ReadResult result;
            await using (cancellationToken.UnsafeRegister(CancelRead, reader))
            {
                result = await reading;
            }

            if (!result.IsCanceled)
            {
                return result;
            }

            // Bytes that came just when the token fired count as read: the server drains nothing of a request whose client has disconnected, and an
            // unconsumed whole body keeps the connection in the read.
            reader.AdvanceTo(cancellationToken.IsCancellationRequested ? result.Buffer.End : result.Buffer.Start);
            cancellationToken.ThrowIfCancellationRequested();
            reading = reader.ReadAsync(CancellationToken.None);
        }
    }
}
