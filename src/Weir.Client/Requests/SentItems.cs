using System.Text.Encodings.Web;
using System.Text.Json;
using Weir.Runtime;

namespace Weir.Client.Requests;

/// <summary>The items of a streamed request, which are sent once.</summary>
internal abstract class SentItems
{
    /// <summary>What the caller's sequence threw; the transport would only say that sending failed.</summary>
    internal Exception? Error { get; private protected set; }

    /// <summary>Writes every item as a line, each as soon as it is there.</summary>
    internal abstract Task WriteAsync(Stream stream, CancellationToken cancellationToken);
}

/// <summary>The items of one type.</summary>
internal sealed class SentItems<T>(string name, ClientValue<T> codec, IAsyncEnumerable<T> items) : SentItems
{
    private const int FlushAt = 16 * 1024;

    private int _begun;

    internal override async Task WriteAsync(Stream stream, CancellationToken cancellationToken)
    {
        if (Interlocked.Exchange(ref _begun, 1) != 0)
        {
            throw new InvalidOperationException("The items of a streamed request were sent already, and a sequence is enumerated once; a handler must not send the request again.");
        }

        // Bounded: it is sent when it has FlushAt bytes, so it holds no more than that and one item.
        using var output = new MemoryStream();
        using var writer = new Utf8JsonWriter(output, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true });
        // The headers leave before the first item: the server starts the operation, and may answer.
        await stream.FlushAsync(cancellationToken).ConfigureAwait(false);
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var enumerator = items.GetAsyncEnumerator(ending.Token);
        Task<bool>? pending = null;
        try
        {
            while (true)
            {
                pending = MoveNextAsync(enumerator);
                if (!pending.IsCompleted || output.Length >= FlushAt)
                {
                    // The producer pauses, so what it has made is sent.
                    await SendAsync(stream, output, cancellationToken).ConfigureAwait(false);
                }

                if (!await pending.ConfigureAwait(false))
                {
                    break;
                }

                Write(writer, enumerator.Current);
                var before = (int)output.Length;
                writer.Flush();
                writer.Reset();
                Flatten(output.GetBuffer().AsSpan(before, (int)output.Length - before));
                output.WriteByte((byte)'\n');
            }

            await SendAsync(stream, output, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            // While it waits for the next item, sending may have failed: a sequence is disposed of only when it does not run.
            if (pending is { IsCompleted: false } waiting)
            {
                ending.Cancel();
                _ = DisposeAfterAsync(waiting, enumerator);
            }
            else
            {
                await enumerator.DisposeAsync().ConfigureAwait(false);
            }
        }
    }

    private void Write(Utf8JsonWriter writer, T item)
    {
        try
        {
            codec.Write(writer, item);
        }
        catch (ArgumentException error)
        {
            Error = new ArgumentException($"An item of '{name}' cannot be sent as JSON, which does not hold it: {error.Message}", name, error);
            throw Error;
        }
    }

    // A converter may write JSON as it is given: line breaks in it are white space, but they would end the item's line.
    private static void Flatten(Span<byte> item)
    {
        for (var at = item.IndexOfAny((byte)'\n', (byte)'\r'); at >= 0; at = item.IndexOfAny((byte)'\n', (byte)'\r'))
        {
            item[at] = (byte)' ';
            item = item.Slice(at + 1);
        }
    }

    // The request has failed already: what the sequence throws now has no caller.
    private static async Task DisposeAfterAsync(Task waiting, IAsyncEnumerator<T> enumerator)
    {
        await Task.WhenAny(waiting).ConfigureAwait(false);
        _ = waiting.Exception;
        await enumerator.DisposeAsync().ConfigureAwait(false);
    }

    private async Task<bool> MoveNextAsync(IAsyncEnumerator<T> enumerator)
    {
        try
        {
            return await enumerator.MoveNextAsync().ConfigureAwait(false);
        }
        catch (Exception error)
        {
            Error = error;
            throw;
        }
    }

    // The buffer is bounded by FlushAt and one item.
    private static async Task SendAsync(Stream stream, MemoryStream output, CancellationToken cancellationToken)
    {
        if (output.Length == 0)
        {
            return;
        }

#if NET
        await stream.WriteAsync(output.GetBuffer().AsMemory(0, (int)output.Length), cancellationToken).ConfigureAwait(false);
#else
        await stream.WriteAsync(output.GetBuffer(), 0, (int)output.Length, cancellationToken).ConfigureAwait(false);
#endif
        await stream.FlushAsync(cancellationToken).ConfigureAwait(false);
        output.SetLength(0);
    }
}
