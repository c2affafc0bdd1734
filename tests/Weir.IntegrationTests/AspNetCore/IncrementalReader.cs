using System.Text;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Reads a response as it comes.</summary>
internal sealed class IncrementalReader(HttpResponseMessage response) : IDisposable
{
    private readonly StringBuilder _text = new();
    private readonly byte[] _buffer = new byte[4096];

    internal HttpResponseMessage Response => response;

    /// <summary>What has come so far.</summary>
    internal string Text => _text.ToString();

    internal static async Task<IncrementalReader> GetAsync(HttpClient client, string path, string? accept = null)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path) { Version = client.DefaultRequestVersion, VersionPolicy = client.DefaultVersionPolicy };
        if (accept is not null)
        {
            request.Headers.TryAddWithoutValidation("Accept", accept);
        }

        return new IncrementalReader(await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, TestContext.Current.CancellationToken));
    }

    /// <summary>Reads until this much has come and no more of it is awaited.</summary>
    internal async Task ReadAsync(string text)
    {
        await ReadPastAsync(text);
        Assert.Equal(text, Text);
    }

    /// <summary>Reads until at least this has come.</summary>
    internal async Task ReadPastAsync(string text)
    {
        while (_text.Length < text.Length)
        {
            Assert.True(await ReadSomeAsync(), $"The response ended after '{_text}', before '{text}'.");
        }

        Assert.StartsWith(text, Text, StringComparison.Ordinal);
    }

    /// <summary>Reads until the end; throws when the response was broken off.</summary>
    internal async Task<string> ReadToEndAsync()
    {
        while (await ReadSomeAsync())
        {
        }

        return Text;
    }

    public void Dispose() => response.Dispose();

    private async Task<bool> ReadSomeAsync()
    {
        var stream = await response.Content.ReadAsStreamAsync(TestContext.Current.CancellationToken);
        var count = await stream.ReadAsync(_buffer, TestContext.Current.CancellationToken);
        _text.Append(Encoding.UTF8.GetString(_buffer, 0, count));
        return count > 0;
    }
}
