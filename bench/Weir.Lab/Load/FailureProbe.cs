using System.Globalization;
using System.Net;

namespace Weir.Lab.Load;

/// <summary>A caller who reads a stream that will fail: does he notice, and does he learn why?</summary>
internal sealed class FailureProbe : IDisposable
{
    // What a failure is known by: a code to look up, and how many items came before it.
    private const string Code = "\"code\":\"";

    private readonly HttpClient _client;

    public FailureProbe(int port, bool h2c) => _client = new HttpClient
    {
        BaseAddress = new Uri($"http://127.0.0.1:{port}"),
        DefaultRequestVersion = h2c ? HttpVersion.Version20 : HttpVersion.Version11,
        DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
    };

    /// <summary>What the request accepts, when a format is negotiated.</summary>
    public string? Accept { get; init; }

    /// <param name="path">What is asked for.</param>
    /// <param name="after">After how many items it fails.</param>
    /// <param name="cancellation">Ends the reading.</param>
    public async Task<(bool Seen, bool Explained)> FetchAsync(string path, int after, CancellationToken cancellation)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path)
        {
            Version = _client.DefaultRequestVersion,
            VersionPolicy = _client.DefaultVersionPolicy,
        };
        if (Accept is not null)
            request.Headers.TryAddWithoutValidation("Accept", Accept);
        try
        {
            using var response = await _client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellation);
            var text = await response.Content.ReadAsStringAsync(cancellation);
            var hasCode = text.Contains(Code, StringComparison.Ordinal);
            var isPlaced = !response.IsSuccessStatusCode || text.Contains(string.Create(CultureInfo.InvariantCulture, $"\"index\":{after}"), StringComparison.Ordinal);
            return (hasCode || !response.IsSuccessStatusCode, hasCode && isPlaced);
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException)
        {
            return (true, false);
        }
    }

    public void Dispose() => _client.Dispose();
}
