using System.Buffers;
using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Weir.Cli.Fetch;

/// <summary>Sends the requests and reads the bodies. For one list.</summary>
internal sealed class FetchSender : IDisposable
{
    private const int BufferSize = 16_384;

    private readonly FetchSettings _settings;
    private readonly BodyFolder? _folder;
    private readonly CancellationToken _interrupted;
    private readonly InterruptHandler _handler;
    private readonly HttpClient _client;

    // The fan-out reads on when a result is taken, which is a little before its outcome is printed: on a slow list the first line must not wait for a further URL.
    private readonly TaskCompletionSource _firstUsed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Requests whose results have not been taken, by their numbers in the fan-out. Locked.
    private readonly Dictionary<long, FetchRequest> _pending = [];
    private long _taken;

    /// <param name="settings">Bounds.</param>
    /// <param name="folder">Where bodies are saved; <c>null</c> for nowhere.</param>
    /// <param name="interrupted">Cancels requests in flight; those that were answered completely are still outcomes.</param>
    public FetchSender(FetchSettings settings, BodyFolder? folder, CancellationToken interrupted)
    {
        _settings = settings;
        _folder = folder;
        _interrupted = interrupted;
        _handler = new InterruptHandler(new SocketsHttpHandler { UseCookies = false, ActivityHeadersPropagator = null, SslOptions = { RemoteCertificateValidationCallback = Accepts } }, interrupted);
        _client = new HttpClient(_handler) { Timeout = settings.Timeout };
        _client.DefaultRequestHeaders.UserAgent.ParseAdd("weir");
    }

    /// <summary>Requests in flight.</summary>
    public long InFlight => Math.Max(0, _handler.Sent - Volatile.Read(ref _taken));

    /// <summary>Fetches what the list has; the outcomes come as the requests complete.</summary>
    /// <param name="addresses">Without problems.</param>
    public async IAsyncEnumerable<FetchOutcome> SendAsync(IAsyncEnumerable<Address> addresses)
    {
        await using var cancelling = _interrupted.Register(_client.CancelPendingRequests);
        var options = new FanOutOptions { MaxConcurrency = _settings.Max, MaxPerHost = _settings.PerHost };
        await foreach (var result in _client.SendAllAsync(RequestsAsync(addresses, CancellationToken.None), ReadAsync, options, CancellationToken.None))
        {
            FetchRequest? request;
            lock (_pending)
            {
                _pending.Remove(result.Index, out request);
            }

            Interlocked.Increment(ref _taken);
            var outcome = new FetchOutcome(request!.Index, request.Text) { Status = (int?)result.StatusCode, Timing = result.Timing };
            if (result.Exception is null)
            {
                yield return outcome with { Bytes = result.Value.Bytes, File = result.Value.File };
            }
            else if (!_interrupted.IsCancellationRequested)
            {
                yield return outcome with { Error = Explain(result.Exception) };
            }

            _firstUsed.TrySetResult();
        }
    }

    public void Dispose() => _client.Dispose();

    private async IAsyncEnumerable<HttpRequestMessage> RequestsAsync(IAsyncEnumerable<Address> addresses, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await using var list = addresses.GetAsyncEnumerator(cancellationToken);
        for (var number = 0L; await list.MoveNextAsync(); number++)
        {
            var request = new FetchRequest(list.Current);
            lock (_pending)
            {
                _pending.Add(number, request);
            }

            yield return request;
            if (number + 1 == _settings.Max)
            {
                await _firstUsed.Task.WaitAsync(cancellationToken);
            }
        }
    }

    private async ValueTask<(long Bytes, string? File)> ReadAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        var body = await response.Content.ReadAsStreamAsync(cancellationToken);
        if (_folder is null || !response.IsSuccessStatusCode)
        {
            return (await CopyAsync(body, null, cancellationToken), null);
        }

        // The request is the one that was sent, also after a redirect; the name has the URL of the list.
        var request = (FetchRequest)response.RequestMessage!;
        var name = FileNames.Of(request.Index, new Uri(request.Text));
        var bytes = 0L;
        await _folder.WriteAsync(name, async file => bytes = await CopyAsync(body, file, cancellationToken));
        return (bytes, name);
    }

    private static async ValueTask<long> CopyAsync(Stream body, Stream? target, CancellationToken cancellationToken)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(BufferSize);
        try
        {
            var bytes = 0L;
            while (await body.ReadAsync(buffer, cancellationToken) is > 0 and var count)
            {
                bytes += count;
                target?.Write(buffer, 0, count);
            }

            return bytes;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    // What it throws is why the request failed.
    private bool Accepts(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors) =>
        _settings.IsInsecure || errors == SslPolicyErrors.None ? true
        : throw new AuthenticationException($"The certificate of the server is not trusted ({errors}); if that is expected, give --insecure.");

    private string Explain(Exception failure)
    {
        if (failure is TaskCanceledException { InnerException: TimeoutException })
        {
            return FormattableString.Invariant($"no answer within {_settings.Timeout.TotalSeconds} s (--timeout)");
        }

        // "An error occurred while sending the request." says nothing without the cause of it.
        var cause = failure.GetBaseException();
        return cause == failure || failure.Message.Contains(cause.Message, StringComparison.Ordinal) ? failure.Message : $"{failure.Message} {cause.Message}";
    }
}
