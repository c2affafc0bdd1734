using System.Text;
using Weir.Load.Raw;

namespace Weir.Load.Tests;

public sealed class ResponseScannerTests
{
    private const string WithLength = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nServer: x\r\n\r\nhello";
    private const string Chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n";
    private const string Empty = "HTTP/1.1 204 No Content\r\nDate: today\r\n\r\n";
    private const string Failed = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r\n\r\n";

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(7)]
    [InlineData(64)]
    [InlineData(10_000)]
    public void Responses_end_where_they_end_however_they_are_cut(int step)
    {
        var bytes = Encoding.ASCII.GetBytes(WithLength + Chunked + Empty + Failed + WithLength);
        var statuses = new List<int>();
        var scanner = default(ResponseScanner);
        for (var at = 0; at < bytes.Length; at += step)
        {
            ReadOnlySpan<byte> rest = bytes.AsSpan(at, Math.Min(step, bytes.Length - at));
            while (scanner.TryEnd(rest, out var taken))
            {
                statuses.Add(scanner.Status);
                rest = rest[taken..];
            }
        }

        Assert.Equal([200, 200, 204, 503, 200], statuses);
    }

    [Fact]
    public void A_response_without_its_end_has_not_ended()
    {
        var scanner = default(ResponseScanner);
        Assert.False(scanner.TryEnd(Encoding.ASCII.GetBytes(Chunked[..^1]), out _));
        Assert.True(scanner.TryEnd("\n"u8, out var taken));
        Assert.Equal(1, taken);
    }

    [Fact]
    public void A_header_longer_than_a_line_buffer_does_no_harm()
    {
        var scanner = default(ResponseScanner);
        var response = WithLength.Replace("Server: x", $"Server: {new string('x', 5000)}", StringComparison.Ordinal);
        Assert.True(scanner.TryEnd(Encoding.ASCII.GetBytes(response), out var taken));
        Assert.Equal(response.Length, taken);
    }

    [Fact]
    public void A_goodbye_is_heard()
    {
        var scanner = default(ResponseScanner);
        Assert.True(scanner.TryEnd(Encoding.ASCII.GetBytes(WithLength.Replace("Server: x", "Connection: close", StringComparison.Ordinal)), out _));
        Assert.True(scanner.Closes);
        Assert.True(scanner.TryEnd(Encoding.ASCII.GetBytes(WithLength), out _));
        Assert.False(scanner.Closes);
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nConnection: close, Upgrade\r\nContent-Length: 5\r\n\r\nhello", true)]
    [InlineData("HTTP/1.1 200 OK\r\nConnection: Upgrade, Close\r\nContent-Length: 5\r\n\r\nhello", true)]
    [InlineData("HTTP/1.1 200 OK\r\nConnection:\tclose\t\r\nContent-Length:\t5 \t\r\n\r\nhello", true)]
    [InlineData("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nCONNECTION:close\r\nContent-Length:5\r\n\r\nhello", true)]
    [InlineData("HTTP/1.1 200 OK\r\nConnection: close\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello", true)]
    [InlineData("HTTP/1.1 200 OK\r\nConnection: closed, x-close, ,\r\nContent-Length: 5\r\n\r\nhello", false)]
    [InlineData("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", true)]
    [InlineData("HTTP/1.0 200 OK\r\nConnection: x, keep-alive\r\nContent-Length: 5\r\n\r\nhello", false)]
    [InlineData("HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", false)]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\nhello", false)]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello", false)]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", true)]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding:\tgzip ,\tchunked\r\n\r\n5 ;a=b\r\nhello\r\n0\r\nTrailer: 1\r\n\r\n", false)]
    [InlineData("HTTP/1.1 200 OK\r\nX: a\r\n folded\r\nContent-Length: 5\r\n\r\nhello", false)]
    [InlineData("HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false)]
    [InlineData("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", false)]
    [InlineData("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", false)]
    [InlineData("HTTP/1.1 599 Own\r\nContent-Length: 0\r\n\r\n", false)]
    public void A_response_ends_where_RFC_9112_says_and_closes_its_connection_if_it_says_so(string response, bool closes)
    {
        foreach (var step in new[] { 1, 2, 5, response.Length })
        {
            var scanner = default(ResponseScanner);
            Assert.True(Ends(ref scanner, response, step), $"step {step}");
            Assert.Equal(closes, scanner.Closes);
        }
    }

    [Theory]
    [InlineData("HTTP/1.1 2xx OK\r\n")]
    [InlineData("HTTP/1.1 099 Weird\r\n")]
    [InlineData("HTTP/1.1 600 Weird\r\n")]
    [InlineData("HTTP/1.1 2000 Weird\r\n")]
    [InlineData("HTTP/1.1 20 Weird\r\n")]
    [InlineData("HTTP/1.1 -20 Weird\r\n")]
    [InlineData("HTTP/1.x 200 OK\r\n")]
    [InlineData("HTTP/2.0 200 OK\r\n")]
    [InlineData("HTTP/1.1  200 OK\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 5abc\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: +5\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length:\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 5,\r\nContent-Length: 6\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n 6\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length : 5\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nno header\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5x\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokxx\r\n")]
    [InlineData("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")]
    public void What_is_no_response_is_invalid_however_it_is_cut(string response)
    {
        foreach (var step in new[] { 1, 3, response.Length })
        {
            var scanner = default(ResponseScanner);
            var bytes = Encoding.ASCII.GetBytes(response);
            var found = ResponseEvent.None;
            for (var at = 0; at < bytes.Length && found != ResponseEvent.Invalid; at += step)
            {
                ReadOnlySpan<byte> rest = bytes.AsSpan(at, Math.Min(step, bytes.Length - at));
                do
                {
                    found = scanner.Read(ref rest, out _);
                }
                while (found is ResponseEvent.Head or ResponseEvent.Body);

                Assert.NotEqual(ResponseEvent.End, found);
            }

            Assert.Equal(ResponseEvent.Invalid, found);
        }
    }

    [Theory]
    [InlineData("Connection")]
    [InlineData("Transfer-Encoding")]
    public void A_list_that_is_too_long_to_keep_is_not_taken_for_its_beginning(string name)
    {
        var scanner = default(ResponseScanner);
        var response = $"HTTP/1.1 200 OK\r\n{name}: {string.Join(", ", Enumerable.Repeat("keep-alive", 30))}, close\r\nContent-Length: 5\r\n\r\nhello";
        if (name == "Connection")
        {
            Assert.True(Ends(ref scanner, response, 7));
            Assert.True(scanner.Closes);
        }
        else
        {
            Assert.False(Ends(ref scanner, response, 7));
        }
    }

    private static bool Ends(ref ResponseScanner scanner, string response, int step)
    {
        var bytes = Encoding.ASCII.GetBytes(response);
        for (var at = 0; at < bytes.Length; at += step)
        {
            if (scanner.TryEnd(bytes.AsSpan(at, Math.Min(step, bytes.Length - at)), out var taken))
            {
                return at + taken == bytes.Length;
            }
        }

        return false;
    }
}
