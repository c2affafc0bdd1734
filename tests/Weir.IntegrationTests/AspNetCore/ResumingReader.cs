using System.Buffers.Text;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>
/// Reads a stream of the numbers 0, 1, 2, … to its end, and cuts its connection after given numbers of items: then it continues as a client does. It
/// fails at the first gap or repeat.
/// </summary>
internal sealed class ResumingReader : IDisposable
{
    internal const string Marked = "application/x-ndjson; weir=1";
    internal const string Events = "text/event-stream";

    private readonly HttpClient _client;
    private readonly byte[] _buffer = new byte[16 * 1024];
    private string? _stream;
    private string? _lastId;
    private bool _isOver;

    internal ResumingReader(Uri server)
    {
        _client = new HttpClient(new SocketsHttpHandler
        {
            // Disposing a response that has not ended closes its connection at once.
            MaxResponseDrainSize = 0,
            ResponseDrainTimeout = TimeSpan.Zero,
            ConnectCallback = static async (context, cancellationToken) =>
            {
                // What is in this buffer when the connection is cut was sent and never received.
                var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true, ReceiveBufferSize = 64 * 1024 };
                await socket.ConnectAsync(context.DnsEndPoint, cancellationToken);
                return new NetworkStream(socket, ownsSocket: true);
            },
        })
        {
            BaseAddress = server,
            Timeout = Timeout.InfiniteTimeSpan,
        };
    }

    /// <summary>Items received.</summary>
    internal long Count { get; private set; }

    /// <summary>How often it connected.</summary>
    internal int Attempts { get; private set; }

    /// <summary>How often the server asked it to connect again.</summary>
    internal int Retries { get; private set; }

    /// <summary>The id of the stream that the server keeps; <c>null</c> where it has sent none.</summary>
    internal string? Stream => _stream;

    /// <summary>Called before each attempt.</summary>
    internal Action<HttpRequestMessage>? OnAttempt { get; init; }

    /// <summary>Reads to the end.</summary>
    /// <param name="path">The stream's.</param>
    /// <param name="accept">Its format.</param>
    /// <param name="cuts">After how many items the connection is cut, in order.</param>
    internal async Task ReadAsync(string path, string accept, IEnumerable<long> cuts)
    {
        foreach (var cut in cuts.Append(long.MaxValue))
        {
            await AttemptAsync(path, accept, cut);
        }
    }

    /// <summary>Connects once, and reads to the end or to a cut.</summary>
    internal async Task AttemptAsync(string path, string accept, long cut)
    {
        if (_isOver || Count >= cut)
        {
            return;
        }

        Attempts++;
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        request.Headers.TryAddWithoutValidation("Accept", accept);
        if (LastEventId(accept) is { } last)
        {
            request.Headers.TryAddWithoutValidation("Last-Event-ID", last);
        }

        OnAttempt?.Invoke(request);
        using var response = await _client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, TestContext.Current.CancellationToken);
        if (response.StatusCode != HttpStatusCode.OK)
        {
            Assert.Fail($"After {Count} items, attempt {Attempts} with id {LastEventId(accept)}: {(int)response.StatusCode} {await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken)}");
        }

        if (response.Headers.TryGetValues("Weir-Stream", out var streams))
        {
            Assert.True(_stream is null || _stream == streams.Single());
            _stream = streams.Single();
        }

        await using var body = await response.Content.ReadAsStreamAsync(TestContext.Current.CancellationToken);
        var length = 0;
        while (!_isOver && Count < cut)
        {
            var read = await body.ReadAsync(_buffer.AsMemory(length), TestContext.Current.CancellationToken);
            if (read == 0)
            {
                return;
            }

            length += read;
            var rest = Take(_buffer.AsSpan(0, length), cut);
            rest.CopyTo(_buffer);
            length = rest.Length;
        }
    }

    public void Dispose() => _client.Dispose();

    private string? LastEventId(string accept) =>
        accept == Events ? _lastId
        : _stream is not null ? string.Create(CultureInfo.InvariantCulture, $"{_stream}.{Count - 1}")
        : Count > 0 ? (Count - 1).ToString(CultureInfo.InvariantCulture)
        : null;

    // What is behind the last whole line.
    private ReadOnlySpan<byte> Take(ReadOnlySpan<byte> text, long cut)
    {
        for (var end = text.IndexOf((byte)'\n'); end >= 0 && !_isOver && Count < cut; end = text.IndexOf((byte)'\n'))
        {
            Line(text[..end]);
            text = text[(end + 1)..];
        }

        return text;
    }

    private void Line(ReadOnlySpan<byte> line)
    {
        if (line.IsEmpty || line[0] == (byte)':' || line.StartsWith("event: end"u8))
        {
            return;
        }

        if (line.StartsWith("id: "u8))
        {
            _lastId = Encoding.UTF8.GetString(line[4..]);
            return;
        }

        if (line.StartsWith("retry: "u8))
        {
            Retries++;
            return;
        }

        if (line.StartsWith("data: "u8))
        {
            line = line[6..];
        }

        if (line[0] == (byte)'{')
        {
            End(line);
            return;
        }

        Assert.True(Utf8Parser.TryParse(line, out long item, out var used) && used == line.Length, Encoding.UTF8.GetString(line));
        if (item != Count)
        {
            Assert.Fail($"Item {item} came after {Count} items, in attempt {Attempts}.");
        }

        Count++;
    }

    private void End(ReadOnlySpan<byte> line)
    {
        using var document = JsonDocument.Parse(Encoding.UTF8.GetString(line));
        var end = document.RootElement.TryGetProperty("$weir", out var inner) ? inner : document.RootElement;
        if (end.TryGetProperty("retry", out _))
        {
            Assert.Equal(Count, end.GetProperty("index").GetInt64());
            Retries++;
            return;
        }

        Assert.True(end.TryGetProperty("count", out var count), document.RootElement.ToString());
        Assert.Equal(Count, count.GetInt64());
        _isOver = true;
    }
}
