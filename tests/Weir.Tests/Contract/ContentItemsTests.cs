using System.IO.Pipelines;
using Weir.Runtime;

namespace Weir.Tests.Contract;

/// <summary>Content as an operation reads it, and as it is sent to a worker.</summary>
public sealed class ContentItemsTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(100)]
    public async Task Pieces_are_read_as_one_whatever_the_size_of_a_read(int size)
    {
        var given = new GivenContent([1, 2, 3, 4], [], [5]);
        await using var content = ContentItems.ReceiveStream(given);
        var all = new List<byte>();
        var buffer = new byte[size];
        for (int read; (read = await content.ReadAsync(buffer, Token)) > 0;)
        {
            all.AddRange(buffer[..read]);
        }

        Assert.Equal([1, 2, 3, 4, 5], all);
        Assert.Equal(3, given.Released);
    }

    [Fact]
    public async Task After_the_end_every_read_is_empty_and_asks_no_more()
    {
        var given = new GivenContent([1]);
        await using var content = ContentItems.ReceiveStream(given);
        var copy = new MemoryStream();
        await content.CopyToAsync(copy, Token);
        Assert.Equal([1], copy.ToArray());
        Assert.Equal(0, await content.ReadAsync(new byte[1], Token));
        Assert.Equal(0, content.Read(new byte[1], 0, 1));
        Assert.Equal(2, given.Asked);
    }

    [Fact]
    public async Task A_failure_in_the_middle_is_thrown_by_every_further_read()
    {
        var given = new GivenContent([1]) { Failure = new IOException("cut") };
        await using var content = ContentItems.ReceiveStream(given);
        Assert.Equal(1, await content.ReadAsync(new byte[10], Token));
        for (var i = 0; i < 2; i++)
        {
            Assert.Equal("cut", (await Assert.ThrowsAsync<IOException>(() => content.ReadExactlyAsync(new byte[10], Token).AsTask())).Message);
        }

        await Assert.ThrowsAsync<IOException>(() => content.CopyToAsync(new MemoryStream(), Token));
        Assert.Equal(2, given.Asked);
    }

    [Fact]
    public async Task A_read_that_was_cancelled_can_be_repeated()
    {
        await using var content = ContentItems.ReceiveStream(new GivenContent([7]));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => content.ReadExactlyAsync(new byte[1], new CancellationToken(canceled: true)).AsTask());
        var buffer = new byte[1];
        Assert.Equal(1, await content.ReadAsync(buffer, Token));
        Assert.Equal(7, buffer[0]);
    }

    [Fact]
    public async Task Disposing_in_the_middle_stops_the_sender_once_and_ends_reading()
    {
        var given = new GivenContent([1, 2], [3]);
        var content = ContentItems.ReceiveStream(given);
        Assert.Equal(1, await content.ReadAsync(new byte[1], Token));
        await content.DisposeAsync();
        await content.DisposeAsync();
        Assert.Equal((1, 1), (given.Stopped, given.Released));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => content.ReadExactlyAsync(new byte[1], Token).AsTask());
    }

    [Fact]
    public void Disposing_before_the_first_read_asks_for_nothing()
    {
        var given = new GivenContent([1, 2]);
        ContentItems.ReceiveStream(given).Dispose();
        Assert.Equal((0, 0), (given.Asked, given.Stopped));
    }

    [Fact]
    public async Task A_pipe_reads_the_same()
    {
        var pipe = ContentItems.ReceivePipe(new GivenContent([1, 2], [3]));
        var copy = new MemoryStream();
        await pipe.CopyToAsync(copy, Token);
        Assert.Equal([1, 2, 3], copy.ToArray());
    }

    [Fact]
    public async Task Content_that_arrived_and_was_not_read_is_passed_on_piece_by_piece()
    {
        var given = new GivenContent([1, 2], [3]);
        await using var sent = ContentItems.Send(ContentItems.ReceiveStream(given), Token);
        Assert.Equal(0, given.Asked);
        Assert.Equal([[1, 2], [3]], await PiecesAsync(sent));
        Assert.Equal(2, given.Released);
    }

    [Fact]
    public async Task Content_that_was_read_in_part_is_sent_from_there()
    {
        var content = ContentItems.ReceiveStream(new GivenContent([1, 2], [3]));
        await content.ReadExactlyAsync(new byte[1], Token);
        await using var sent = ContentItems.Send(content, Token);
        Assert.Equal([[2], [3]], await PiecesAsync(sent));
    }

    [Fact]
    public async Task Longer_content_is_sent_in_pieces_of_64_KB_and_stays_open()
    {
        var content = new MemoryStream(new byte[150_000]);
        await using (var sent = ContentItems.Send(content, Token))
        {
            Assert.Equal([65_536, 65_536, 18_928], (await PiecesAsync(sent)).Select(static one => one.Length));
        }

        Assert.True(content.CanRead);
    }

    [Fact]
    public async Task A_pipe_is_sent_and_not_completed()
    {
        var pipe = new Pipe();
        await pipe.Writer.WriteAsync(new byte[] { 1, 2 }, Token);
        await pipe.Writer.CompleteAsync();
        await using (var sent = ContentItems.Send(pipe.Reader, Token))
        {
            Assert.Equal([[1, 2]], await PiecesAsync(sent));
        }

        Assert.True((await pipe.Reader.ReadAsync(Token)).IsCompleted);
    }

    [Fact]
    public void Content_is_required()
    {
        Assert.Throws<ArgumentNullException>(() => ContentItems.Send((Stream)null!, Token));
        Assert.Throws<ArgumentNullException>(() => ContentItems.Send((PipeReader)null!, Token));
    }

    private static async Task<List<byte[]>> PiecesAsync(ItemSource sent)
    {
        var pieces = new List<byte[]>();
        using var output = new PayloadWriter();
        while (await sent.MoveNextAsync())
        {
            Assert.Equal(ResultEncoding.Raw, sent.CurrentEncoding);
            output.Clear();
            sent.WriteCurrent(output);
            pieces.Add(output.WrittenSpan.ToArray());
        }

        return pieces;
    }
}
