using System.Buffers;

namespace Weir.Client.Responses;

/// <summary>The whole body of a response, in a pooled buffer. The owner disposes of it.</summary>
internal struct ResponseBody : IDisposable
{
    /// <summary>The most bytes that an array has (Array.MaxLength, which .NET Framework lacks).</summary>
    internal const int LargestArray = 0x7FFFFFC7;

    private const int SmallestBuffer = 4096;

    private byte[]? _buffer;
    private int _length;

    /// <summary>The bytes; valid until <see cref="Dispose"/>.</summary>
    internal readonly ReadOnlySpan<byte> Span => _buffer is null ? default : _buffer.AsSpan(0, _length);

    /// <summary>Reads a body.</summary>
    /// <param name="response">Of which only the headers were read.</param>
    /// <param name="operation">For errors.</param>
    /// <param name="idle">How long it may be silent; <c>null</c> for no limit.</param>
    /// <param name="limit">How many bytes it may have; <c>null</c> for no limit.</param>
    /// <param name="cancellationToken">Ends reading.</param>
    /// <exception cref="UnexpectedResponseException">It has more bytes.</exception>
    /// <exception cref="TimeoutException">It was silent for too long.</exception>
    /// <exception cref="IOException">It was cut.</exception>
#if NET
    [System.Runtime.CompilerServices.AsyncMethodBuilder(typeof(System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder<>))]
#endif
    internal static async ValueTask<ResponseBody> ReadAsync(
        HttpResponseMessage response, string operation, TimeSpan? idle, int? limit, CancellationToken cancellationToken)
    {
        // Without a look at Content-Length: most bodies fit, and reading their end costs nothing.
        var body = new ResponseBody { _buffer = ArrayPool<byte>.Shared.Rent(SmallestBuffer) };
        try
        {
            var stream = await ResponseStreams.OpenAsync(response, cancellationToken).ConfigureAwait(false);
            while (true)
            {
                var count = await ResponseStreams.ReadAsync(stream, body._buffer, body._length, idle, operation, cancellationToken).ConfigureAwait(false);
                if (count == 0)
                {
                    return body;
                }

                body._length += count;
                if (body._length > limit)
                {
                    throw TooLarge(operation, limit);
                }

                if (body._length == body._buffer.Length)
                {
                    body.Grow(operation);
                }
            }
        }
        catch
        {
            // The buffer is not returned: a read that was given up may still write into it.
            response.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        if (_buffer is { } buffer)
        {
            _buffer = null;
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private void Grow(string operation)
    {
        var larger = ArrayPool<byte>.Shared.Rent(Doubled(_buffer!.Length) ?? throw TooLarge(operation, LargestArray));
        Buffer.BlockCopy(_buffer, 0, larger, 0, _length);
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = larger;
    }

    /// <summary>The next size of a buffer that is full; <c>null</c> where no array is larger.</summary>
    internal static int? Doubled(int length) => length >= LargestArray ? null : (int)Math.Min(LargestArray, length * 2L);

    private static UnexpectedResponseException TooLarge(string operation, int? limit) => new(limit == LargestArray
        ? $"The response of {operation} is larger than {limit} bytes, which is the largest array: stream the result in items, or declare it as a Stream."
        : $"The response of {operation} is larger than {limit} bytes: raise WeirClientOptions.{nameof(WeirClientOptions.MaxResultBytes)}, stream the result in items, or declare it as a Stream.");
}
