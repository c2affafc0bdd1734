using System.Text;
using Weir.Lab.Load;

namespace Weir.Lab.Tests.Load;

public sealed class BodyDecoderTests
{
    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 1)]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", 1)]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", 4)]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", 1000)]
    public void The_body_comes_out_however_it_is_cut(string response, int step)
    {
        var body = new StringBuilder();
        var decoder = new BodyDecoder();
        foreach (var part in Encoding.ASCII.GetBytes(response).Chunk(step))
            decoder.Feed(part, bytes => body.Append(Encoding.ASCII.GetString(bytes)));

        Assert.Equal("hello", body.ToString());
        Assert.Equal(200, decoder.Status);
        Assert.True(decoder.IsComplete);
    }

    [Fact]
    public void A_response_that_is_cut_off_is_not_complete()
    {
        var decoder = new BodyDecoder();
        decoder.Feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n"u8, _ => { });
        Assert.False(decoder.IsComplete);
    }
}
