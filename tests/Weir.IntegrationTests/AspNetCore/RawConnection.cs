using System.Net;
using System.Net.Sockets;
using System.Text;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>A connection that sends what a client library would not, and shows every byte that comes back.</summary>
internal sealed class RawConnection : IDisposable
{
    private readonly TcpClient _client;
    private readonly StringBuilder _received = new();
    private readonly byte[] _buffer = new byte[16 * 1024];

    private RawConnection(TcpClient client) => _client = client;

    /// <summary>Everything so far.</summary>
    internal string Received => _received.ToString();

    /// <summary>What stands behind the head, as it came.</summary>
    internal string Body => Received[(Received.IndexOf("\r\n\r\n", StringComparison.Ordinal) + 4)..];

    internal static async Task<RawConnection> OpenAsync(Uri server, int? receiveBuffer = null)
    {
        var client = new TcpClient { NoDelay = true };
        if (receiveBuffer is { } size)
        {
            client.ReceiveBufferSize = size;
        }

        await client.ConnectAsync(IPAddress.Loopback, server.Port, TestContext.Current.CancellationToken);
        return new RawConnection(client);
    }

    /// <summary>Sends the lines of a head, and a body behind it.</summary>
    internal async Task SendAsync(string head, string body = "") =>
        await _client.GetStream().WriteAsync(
            Encoding.UTF8.GetBytes(head.ReplaceLineEndings("\r\n").TrimEnd() + "\r\n\r\n" + body), TestContext.Current.CancellationToken);

    internal async Task SendRawAsync(string text) =>
        await _client.GetStream().WriteAsync(Encoding.UTF8.GetBytes(text), TestContext.Current.CancellationToken);

    /// <summary>Reads until a text has come.</summary>
    internal async Task<string> ReadUntilAsync(string text)
    {
        while (!Received.Contains(text, StringComparison.Ordinal))
        {
            Assert.True(await ReadAsync(), $"The connection ended before '{text}': {Received}");
        }

        return Received;
    }

    /// <summary>Reads until the server ends the connection.</summary>
    internal async Task<string> ReadToEndAsync()
    {
        while (await ReadAsync())
        {
        }

        return Received;
    }

    /// <summary>Goes away without a word.</summary>
    internal void Reset()
    {
        _client.Client.LingerState = new LingerOption(true, 0);
        _client.Close();
    }

    public void Dispose() => _client.Dispose();

    private async Task<bool> ReadAsync()
    {
        try
        {
            var count = await _client.GetStream().ReadAsync(_buffer, TestContext.Current.CancellationToken);
            _received.Append(Encoding.UTF8.GetString(_buffer, 0, count));
            return count > 0;
        }
        catch (IOException)
        {
            // A reset is an end too.
            return false;
        }
    }
}
