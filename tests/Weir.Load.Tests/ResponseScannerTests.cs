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
}
