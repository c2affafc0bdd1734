using System.IO.Pipelines;

namespace Weir.AspNetCore.Binding;

/// <summary>
/// Reads of a request's body that a token ends. The token is not given to the server's reader: after that Kestrel's would stay in the
/// middle of a read ("Reading is already in progress"), and the connection could not be used again.
/// </summary>
internal static class BodyPipe
{
    /// <summary>Reads what has come, or waits for it. The result is never a cancelled one.</summary>
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

    /// <summary>Ends a read: a callback for tokens and timers, out of which nothing may be thrown.</summary>
    /// <param name="reader">A <see cref="PipeReader"/>.</param>
    internal static void CancelRead(object? reader)
    {
        try
        {
            ((PipeReader)reader!).CancelPendingRead();
        }
        catch (Exception)
        {
            // The request was aborted: the server's reader throws that from every method, and the read has ended.
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

            // What came just when the token fired counts as read: of a request whose client has left the server drains nothing, and a whole
            // body that was not consumed keeps the connection in the read.
            reader.AdvanceTo(cancellationToken.IsCancellationRequested ? result.Buffer.End : result.Buffer.Start);
            cancellationToken.ThrowIfCancellationRequested();
            reading = reader.ReadAsync(CancellationToken.None);
        }
    }
}
