using System.Net;

namespace Weir.Lab.Load;

/// <summary>A caller who reads a stream that will fail: does he notice, and does he learn why?</summary>
internal sealed class FailureProbe : IDisposable
{
    private const string Cause = "the source broke";

    private readonly HttpClient _client;

    public FailureProbe(int port, bool h2c) => _client = new HttpClient
    {
        BaseAddress = new Uri($"http://127.0.0.1:{port}"),
        DefaultRequestVersion = h2c ? HttpVersion.Version20 : HttpVersion.Version11,
        DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
    };

    /// <summary>What the request accepts, when a format is negotiated.</summary>
    public string? Accept { get; init; }

    public async Task<(bool Seen, bool Explained)> FetchAsync(string path, CancellationToken cancellation)
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
            var explained = text.Contains(Cause, StringComparison.Ordinal);
            return (explained || !response.IsSuccessStatusCode, explained);
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException)
        {
            return (true, false);
        }
    }

    public void Dispose() => _client.Dispose();
}
