using System.Buffers;
using System.Net.Http.Headers;
using System.Text;
using Weir.Load.Measuring;

namespace Weir.Load.Clients;

/// <summary>Sends requests of a load over an HTTP client, one after the other. One caller at a time.</summary>
internal sealed class ClientExchange(LoadOptions options, HttpMessageInvoker client, LoadResult result) : IDisposable
{
    private const int BufferLength = 64 * 1024;

    private readonly byte[] _buffer = ArrayPool<byte>.Shared.Rent(BufferLength);
    private CancellationTokenSource _limit = new();

    /// <summary>Sends one and reads its response to the end, or until it has enough items. Its failure is counted, and not thrown.</summary>
    /// <param name="start">When it should have been sent.</param>
    /// <param name="isCounted">Whether it counts, given when it ends.</param>
    /// <param name="end">When the duration of the load is over.</param>
    /// <param name="cancellationToken">Ends the load.</param>
    /// <returns>Whether it ended; <c>false</c> if the load was ended before.</returns>
    public async Task<bool> RunAsync(long start, Func<long, bool> isCounted, long end, CancellationToken cancellationToken)
    {
        Renew();

        // In the closed model a request is due when it is sent.
        var sent = options.Rate is null ? start : Stamp.Now;
        try
        {
            using var linked = cancellationToken.UnsafeRegister(static limit => ((CancellationTokenSource)limit!).Cancel(), _limit);
            var status = await SendAsync(sent, isCounted, _limit.Token).ConfigureAwait(false);
            if (Stamp.Now is var now && isCounted(now))
            {
                lock (result)
                {
                    result.Answered(start, sent, status, now, now <= end);
                }
            }
        }
        catch (Exception) when (cancellationToken.IsCancellationRequested)
        {
            return false;
        }
        catch (Exception failure)
        {
            if (Stamp.Now is var now && isCounted(now))
            {
                Failed(failure, start, sent, now);
            }
        }

        return true;
    }

    public void Dispose()
    {
        _limit.Dispose();
        ArrayPool<byte>.Shared.Return(_buffer);
    }

    private async Task<int> SendAsync(long sent, Func<long, bool> isCounted, CancellationToken cancellationToken)
    {
        using var request = CreateRequest();
        using var response = await client.SendAsync(request, cancellationToken).ConfigureAwait(false);
        var now = Stamp.Now;
        if (options.IsStream && isCounted(now))
        {
            lock (result)
            {
                result.FirstByte.Record(Stamp.Nanoseconds(sent, now));
            }
        }

        var body = await response.Content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
        var counter = new ItemCounter(FormatOf(response.Content.Headers.ContentType));
        var (items, last) = (0L, 0L);
        while (true)
        {
            var read = await body.ReadAsync(_buffer, cancellationToken).ConfigureAwait(false);
            now = Stamp.Now;
            var found = !options.IsStream ? 0 : read == 0 ? counter.End() : counter.Feed(_buffer.AsSpan(0, read));
            found = (int)Math.Min(found, (options.AbortAfter ?? long.MaxValue) - items);
            Arrived(read, found, last, isCounted(now), now);
            items += found;
            last = found > 0 ? now : last;
            if (read == 0 || items >= (options.AbortAfter ?? long.MaxValue))
            {
                return (int)response.StatusCode;
            }

            if (options.IsStream)
            {
                _limit.CancelAfter(options.Timeout);
            }
        }
    }

    private void Arrived(int read, int items, long last, bool isCounted, long now)
    {
        if (!isCounted)
        {
            return;
        }

        lock (result)
        {
            result.Bytes += read;
            if (items > 0)
            {
                result.Arrived(items, last, now);
            }
        }
    }

    private void Failed(Exception failure, long start, long sent, long now)
    {
        lock (result)
        {
            if (failure is OperationCanceledException)
            {
                result.TimedOut(start, sent, now);
            }
            else
            {
                result.Failed(ClientErrors.KindOf(failure));
            }
        }
    }

    private HttpRequestMessage CreateRequest()
    {
        var request = new HttpRequestMessage(options.Method, options.Address)
        {
            Version = options.HttpVersion,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = options.Body is { } body ? new ReadOnlyMemoryContent(body) : null,
        };
        foreach (var (name, value) in options.Headers)
        {
            // Headers of content, such as Content-Type, need content.
            if (!request.Headers.TryAddWithoutValidation(name, value))
            {
                (request.Content ??= new ReadOnlyMemoryContent(default)).Headers.TryAddWithoutValidation(name, value);
            }
        }

        return request;
    }

    private void Renew()
    {
        if (!_limit.TryReset())
        {
            _limit.Dispose();
            _limit = new CancellationTokenSource();
        }

        _limit.CancelAfter(options.Timeout);
    }

    private static ItemFormat FormatOf(MediaTypeHeaderValue? type) => ItemFormats.Of(Encoding.ASCII.GetBytes(type?.MediaType ?? ""));
}
