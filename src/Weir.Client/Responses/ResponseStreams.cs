using Weir.Client.Requests;

namespace Weir.Client.Responses;

/// <summary>Reads of a response that may be silent.</summary>
internal static class ResponseStreams
{
    internal static Task<Stream> OpenAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
#if NET
        return response.Content.ReadAsStreamAsync(cancellationToken);
#else
        cancellationToken.ThrowIfCancellationRequested();
        return response.Content.ReadAsStreamAsync();
#endif
    }

    /// <summary>Reads what is there; 0 at the end.</summary>
    internal static ValueTask<int> ReadAsync(Stream stream, byte[] buffer, int offset, CancellationToken cancellationToken)
    {
#if NET
        return stream.ReadAsync(buffer.AsMemory(offset), cancellationToken);
#else
        return new ValueTask<int>(stream.ReadAsync(buffer, offset, buffer.Length - offset, cancellationToken));
#endif
    }

    /// <summary>Reads what is there, or waits for it no longer than <paramref name="idle"/>. After a timeout the response must be disposed: the read is still under way.</summary>
    /// <exception cref="TimeoutException">Nothing came.</exception>
    internal static ValueTask<int> ReadAsync(Stream stream, byte[] buffer, int offset, TimeSpan? idle, string operation, CancellationToken cancellationToken)
    {
        var read = ReadAsync(stream, buffer, offset, cancellationToken);
        return idle is { } limit && !read.IsCompleted ? WaitAsync(read, limit, operation) : read;
    }

    internal static TimeoutException Silence(string operation, TimeSpan idle, Exception? cause) =>
        new($"The response of {operation} was silent for {idle.TotalMilliseconds:0} ms; raise WeirClientOptions.IdleTimeout if that is expected.", cause);

    private static async ValueTask<int> WaitAsync(ValueTask<int> read, TimeSpan idle, string operation)
    {
        var task = read.AsTask();
        using var stop = new CancellationTokenSource();
        var silence = Pause.ForAsync(idle, stop.Token);
        if (await Task.WhenAny(task, silence).ConfigureAwait(false) != task)
        {
            throw Silence(operation, idle, null);
        }

        stop.Cancel();
        return await task.ConfigureAwait(false);
    }
}
