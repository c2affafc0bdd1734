using System.Security.Cryptography;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Workers;

/// <summary>What <c>docs/protocol.md</c> asks of every worker that takes and returns content, in any language.</summary>
public abstract class WorkerContentCompliance : WorkerCompliance
{
    private protected static readonly HelloPayload WithContent = LiveWorker.Hello(capabilities: LiveContent.Capabilities, configuration: ("word", "Hello"));

    private protected static readonly byte[] Data = MakeData();

    [Fact]
    public async Task It_chooses_content_where_it_is_offered()
    {
        await using var worker = await LiveWorker.LaunchAsync(Program, Service);
        worker.Control(WithContent.Write);
        Assert.Equal(LiveContent.Capabilities, worker.Accept(await worker.NextControlAsync()).Capabilities & LiveContent.Capabilities);
    }

    [Theory]
    [InlineData("Upload", 3_000_001, 64 << 10)]
    [InlineData("UploadLater", 3_000_001, 64 << 10)]
    [InlineData("Upload", 5_000, 1)]
    [InlineData("Upload", 0, 1)]
    [InlineData("UploadLater", 0, 1)]
    public async Task Content_arrives_whole_as_it_is_asked_for(string operation, int length, int size)
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, operation, """{"label":"a"}""", wished: ResultEncoding.Raw);
        var done = await worker.ExchangeAsync(1, [.. LiveContent.Raw(Data.AsMemory(0, length), size), LiveContent.End]);
        Assert.Equal($"a {Digest(Data.AsSpan(0, length))}", done.Outcome.Text);

        // 256 KB ahead, and what was consumed.
        Assert.InRange(done.Granted, 1, (1 << 20) + length + (length / size * FrameHeader.Size));
        await AssertServesAsync(worker, 2);
    }

    [Fact]
    public async Task A_piece_without_bytes_means_nothing()
    {
        await using var worker = await StartAsync(WithContent);
        var nothing = new LiveContent.Piece(FrameType.Item, FrameFlags.Raw, []);
        worker.Call(1, "Upload", """{"label":"a"}""", wished: ResultEncoding.Raw);
        var done = await worker.ExchangeAsync(1, [nothing, .. LiveContent.Raw(Data.AsMemory(0, 10)), nothing, LiveContent.End]);
        Assert.Equal($"a {Digest(Data.AsSpan(0, 10))}", done.Outcome.Text);
    }

    [Fact]
    public async Task Content_that_no_code_reads_is_not_asked_for()
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, "UploadNone", wished: ResultEncoding.Raw);
        Assert.Equal("none", (await worker.ExpectResultAsync(1)).Text);
        await AssertServesAsync(worker, 2);
    }

    [Theory]
    [InlineData("Upload")]
    [InlineData("UploadLater")]
    public async Task Content_that_is_cut_never_ends_like_complete_content(string operation)
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, operation, """{"label":"a"}""", wished: ResultEncoding.Raw);
        var done = await worker.ExchangeAsync(1, LiveContent.Raw(Data.AsMemory(0, 500_000)), isAborted: true);
        Assert.Equal((FrameType.Error, ErrorKind.Cancelled), (done.Outcome.Type, ErrorPayload.Read(done.Outcome.Payload).Kind));
        await AssertServesAsync(worker, 2);
    }

    [Theory]
    [InlineData("Upload", -1, ErrorKind.Cancelled)]
    [InlineData("UploadLater", -1, ErrorKind.Cancelled)]
    [InlineData("Upload", 700, ErrorKind.DeadlineExceeded)]
    [InlineData("UploadLater", 700, ErrorKind.DeadlineExceeded)]
    public async Task A_cancel_and_a_deadline_end_a_wait_for_content_and_what_was_on_its_way_is_dropped(string operation, int remaining, object kind)
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, operation, """{"label":"a"}""", remaining: remaining);
        await worker.ExpectAsync(FrameType.Started, 1);
        await worker.ExpectAsync(FrameType.Credit, 1);
        worker.Send(1, LiveContent.Raw(Data.AsMemory(0, 100)).Single());
        if (remaining < 0)
        {
            worker.Cancel(1);
        }

        Assert.Equal(kind, ErrorPayload.Read((await worker.ExpectAsync(FrameType.Error, 1)).Payload).Kind);
        worker.Send(1, LiveContent.Raw(Data.AsMemory(0, 100)).Single());
        worker.Send(1, LiveContent.End);
        await AssertServesAsync(worker, 2);
    }

    [Fact]
    public async Task A_host_that_sends_a_value_where_bytes_are_expected_is_left()
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, "Upload", """{"label":"a"}""", wished: ResultEncoding.Raw);
        await worker.ExpectAsync(FrameType.Started, 1);
        await worker.ExpectAsync(FrameType.Credit, 1);
        worker.Send(1, LiveContent.Described("{}"));
        var bye = await worker.ExpectByeAsync();
        Assert.Equal(ByeReason.ProtocolViolation, bye.Reason);
        Assert.StartsWith("MalformedPayload", bye.Message, StringComparison.Ordinal);
        Assert.Equal(2, (await worker.ExitAsync()).ExitCode);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3_000_001)]
    public async Task Content_comes_back_whole_behind_the_headers_that_the_operation_chose(int length)
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, "Download", $$"""{"length":{{length}}}""", wished: ResultEncoding.Raw, credit: LiveContent.FirstCredit);
        var done = await worker.ExchangeAsync(1);
        Assert.Equal((FrameType.Result, true), (done.Outcome.Type, done.Outcome.Flags.HasFlag(FrameFlags.NoValue)));
        Assert.True(done.Bytes.Length == length && done.Bytes.Index().All(static one => one.Item == (byte)one.Index));
        Assert.Equal("image/png", done.Head!.Headers.Single(static one => one.Key == "Content-Type").Value);
        Assert.Equal("attachment; filename=a.png", done.Head.Headers.Single(static one => one.Key == "Content-Disposition").Value);
        await AssertServesAsync(worker, 2);
    }

    [Fact]
    public async Task A_reader_that_waits_stops_the_code_that_produces_the_content()
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, "DownloadEndless", wished: ResultEncoding.Raw, credit: 1);
        await worker.ExpectAsync(FrameType.Started, 1);
        var sent = 0L;
        foreach (var (grant, least, most) in new[] { (0u, 1, (64 << 10) + 16), (300_000u, 200_000, 300_000) })
        {
            if (grant > 0)
            {
                worker.Grant(1, grant);
            }

            var before = sent;
            while (sent - before < least)
            {
                sent += FrameHeader.Size + (await worker.ExpectAsync(FrameType.Item, 1)).Payload.Length;
            }

            // Until nothing comes from a worker that stands still.
            var last = -1L;
            while (last != sent)
            {
                last = sent;
                await worker.StandsStillAsync();
                while (!worker.IsQuiet)
                {
                    sent += FrameHeader.Size + (await worker.ExpectAsync(FrameType.Item, 1)).Payload.Length;
                }
            }

            Assert.InRange(sent - before, least, most);
        }

        worker.Cancel(1);
        Assert.Equal(ErrorKind.Cancelled, ErrorPayload.Read((await worker.ExpectAsync(FrameType.Error, 1)).Payload).Kind);
        await AssertServesAsync(worker, 2);
    }

    [Fact]
    public async Task Content_that_fails_ends_with_an_error_behind_its_bytes()
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, "DownloadAndFail", """{"length":100000}""", wished: ResultEncoding.Raw, credit: LiveContent.FirstCredit);
        var done = await worker.ExchangeAsync(1);
        Assert.Equal((FrameType.Error, ErrorKind.HandlerFailed, 100_000), (done.Outcome.Type, ErrorPayload.Read(done.Outcome.Payload).Kind, done.Bytes.Length));
        await AssertServesAsync(worker, 2);
    }

    [Theory]
    [InlineData(10, 10, true)]
    [InlineData(0, 0, true)]
    [InlineData(200_000, 199_999, false)]
    [InlineData(199_999, 200_000, false)]
    [InlineData(0, 1, false)]
    [InlineData(1, 0, false)]
    public async Task Content_of_another_length_than_its_headers_say_is_a_failure(int declared, int sent, bool isComplete)
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, "DownloadDeclared", $$"""{"declared":{{declared}},"sent":{{sent}}}""", wished: ResultEncoding.Raw, credit: LiveContent.FirstCredit);
        var done = await worker.ExchangeAsync(1);
        Assert.Equal(isComplete ? FrameType.Result : FrameType.Error, done.Outcome.Type);
        Assert.True(done.Bytes.Length <= declared);
        if (isComplete)
        {
            Assert.Equal((203, sent), (done.Head!.Status, done.Bytes.Length));
            Assert.Equal($"{declared}", done.Head.Headers.Single(static one => one.Key == "Content-Length").Value);
        }
        else
        {
            Assert.Equal(ErrorKind.HandlerFailed, ErrorPayload.Read(done.Outcome.Payload).Kind);
        }

        await AssertServesAsync(worker, 2);
    }

    [Theory]
    [InlineData("EchoContent")]
    [InlineData("EchoContentLater")]
    public async Task Megabytes_pass_through_while_they_arrive(string operation)
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, operation, wished: ResultEncoding.Raw, credit: LiveContent.FirstCredit);
        var done = await worker.ExchangeAsync(1, [.. LiveContent.Raw(Data, 40_000), LiveContent.End]);
        Assert.Equal(FrameType.Result, done.Outcome.Type);
        Assert.True(Data.AsSpan().SequenceEqual(done.Bytes));
        await AssertServesAsync(worker, 2);
    }

    [Theory]
    [InlineData("EchoContent", true)]
    [InlineData("EchoContentLater", true)]
    [InlineData("EchoContent", false)]
    [InlineData("EchoContentLater", false)]
    public async Task A_cancel_and_a_cut_in_the_middle_of_both_directions_end_the_call(string operation, bool isCancelled)
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, operation, wished: ResultEncoding.Raw, credit: LiveContent.FirstCredit);
        var done = await worker.ExchangeAsync(1, LiveContent.Raw(Data.AsMemory(0, 1_000_000), 40_000), isAborted: !isCancelled, most: isCancelled ? 500_000 : int.MaxValue);
        if (!isCancelled)
        {
            Assert.Equal((FrameType.Error, ErrorKind.Cancelled), (done.Outcome.Type, ErrorPayload.Read(done.Outcome.Payload).Kind));
        }
        else
        {
            worker.Cancel(1);
            LiveWorker.Received frame;
            while ((frame = await worker.NextDataAsync()).Type is FrameType.Item or FrameType.Credit)
            {
            }

            Assert.Equal((FrameType.Error, ErrorKind.Cancelled), (frame.Type, ErrorPayload.Read(frame.Payload).Kind));
        }

        await AssertServesAsync(worker, 2);
    }

    private protected static string Digest(ReadOnlySpan<byte> bytes) => $"{bytes.Length} {Convert.ToHexStringLower(SHA256.HashData(bytes))}";

    private protected static async Task AssertServesAsync(LiveWorker worker, ulong id)
    {
        worker.Call(id, "Add", """{"a":40,"b":2}""");
        Assert.Equal("42", (await worker.ExpectResultAsync(id)).Text);
    }

    private static byte[] MakeData()
    {
        var data = new byte[3_000_001];
        new Random(41).NextBytes(data);
        return data;
    }
}
