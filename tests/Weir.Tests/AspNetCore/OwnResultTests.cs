using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Responses;
using Weir.Runtime;

namespace Weir.Tests.AspNetCore;

public sealed class OwnResultTests
{
    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 0)]
    [InlineData(200_000, 0)]
    [InlineData(200_000, 70_000)]
    public async Task A_file_that_grows_while_it_is_sent_is_sent_with_the_length_that_it_had(int length, int position)
    {
        using var content = new GrowingFile(length) { Position = position };
        using var body = new MemoryStream();
        var http = new DefaultHttpContext();
        http.Response.Body = body;

        await OwnResult.WriteAsync(http, new FileCall { Value = content });

        Assert.Equal(length - position, http.Response.ContentLength);
        Assert.Equal(length - position, body.Length);
        Assert.All(body.ToArray(), static one => Assert.Equal(0, one));
    }

    [Fact]
    public async Task A_file_that_is_at_its_end_has_an_empty_body()
    {
        using var content = new MemoryStream([1, 2]) { Position = 5 };
        using var body = new MemoryStream();
        var http = new DefaultHttpContext();
        http.Response.Body = body;

        await OwnResult.WriteAsync(http, new FileCall { Value = content });

        Assert.Equal((0, 0), (http.Response.ContentLength, body.Length));
    }

    // Ones are appended before each read.
    private sealed class GrowingFile(int length) : MemoryStream(CreateZeros(length), 0, 2 * (length + 1_000_000), true, true)
    {
        private static byte[] CreateZeros(int length) => new byte[2 * (length + 1_000_000)];

        private int _length = length;

        public override long Length => _length;

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            GetBuffer().AsSpan(_length, 50_000).Fill(1);
            _length += 50_000;
            return base.ReadAsync(buffer, cancellationToken);
        }
    }

    private sealed class FileCall() : Call<Stream>(new Operation { Name = "File", Verbs = Verbs.Get, ResultKind = ResultKind.Raw, Signature = 0, CreateCall = static _ => throw new NotSupportedException() })
    {
        public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

        public override void WriteArguments(ArgumentWriter writer) => throw new NotSupportedException();

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => throw new NotSupportedException();

        protected override void Encode(PayloadWriter output, Stream value, ResultEncoding encoding) => throw new NotSupportedException();

        protected override Stream Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => throw new NotSupportedException();
    }
}
