using System.Diagnostics;
using Weir.Execution.Pools.Definition;
using Weir.IntegrationTests.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Workers;

/// <summary>What is asked besides of workers that have no region: they are started as a pool starts them.</summary>
public abstract class ForeignWorkerCompliance : WorkerContentCompliance
{
    private protected override string Service => "Compliance";

    private protected override WorkerProgram Program => WorkerProgram.ForCommand(Command, new PoolOptions());

    private protected abstract string[] Command { get; }

    private static LiveContent.Piece First =>
        LiveContent.Described("""{"name":"scan","fileName":"a.tif","contentType":"image/tiff","length":123,"headers":{"Content-Type":"image/tiff","X-Part":"1"}}""");

    private static LiveContent.Piece Second => LiveContent.Described("""{"name":"b","fileName":"b.bin"}""");

    private static LiveContent.Piece Third => LiveContent.Described("""{"name":"c","fileName":"c.bin","contentType":null,"length":null,"headers":{}}""");

    [Fact]
    public async Task Configuration_arrives_before_the_first_call()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Configured", wished: ResultEncoding.Raw);
        Assert.Equal("Hello", (await worker.ExpectResultAsync(1)).Text);
    }

    [Fact]
    public async Task What_the_user_cleans_up_is_done_before_the_worker_leaves()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Ignore", """{"milliseconds":100}""");
        await worker.ExpectAsync(FrameType.Started, 1);
        worker.Drain(1);
        await worker.ExpectAsync(FrameType.Result, 1);
        Assert.Null(await worker.TryNextDataAsync());
        Assert.True(await ProcFiles.EventuallyAsync(() => worker.Output.Lines.Any(static line => line.Text == "cleaned up"), TimeSpan.FromSeconds(60)));
        Assert.Equal(0, (await worker.ExitAsync()).ExitCode);
    }

    // ---- files

    [Theory]
    [InlineData("TakeFiles")]
    [InlineData("TakeFilesLater")]
    public async Task Files_arrive_in_their_order_each_with_what_is_known_of_it(string operation)
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, operation);
        var done = await worker.ExchangeAsync(1, [First, .. LiveContent.Raw(Data.AsMemory(0, 300_000), 50_000), Second, Third, .. LiveContent.Raw(Data), LiveContent.End]);
        Assert.Equal(
            [$"scan|a.tif|image/tiff|123|1|{Digest(Data.AsSpan(0, 300_000))}", $"b|b.bin|None|None|None|{Digest([])}", $"c|c.bin|None|None|None|{Digest(Data)}"],
            System.Text.Json.JsonSerializer.Deserialize<string[]>(done.Outcome.Payload)!);
        worker.Call(2, operation);
        Assert.Equal("[]", (await worker.ExchangeAsync(2, [LiveContent.End])).Outcome.Text);
    }

    [Fact]
    public async Task What_is_not_read_of_a_file_is_passed_over_when_the_next_one_is_asked_for()
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, "SkipFiles", wished: ResultEncoding.Raw);
        var done = await worker.ExchangeAsync(1, [First, .. LiveContent.Raw(Data), Second, Third, .. LiveContent.Raw(Data, 9_000), LiveContent.End]);
        Assert.Equal("a.tif b.bin c.bin", done.Outcome.Text);
        await AssertServesAsync(worker, 2);
    }

    [Fact]
    public async Task A_file_is_described_before_the_operation_runs_and_none_is_null()
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, "TakeFile", """{"label":"l"}""", wished: ResultEncoding.Raw);
        var done = await worker.ExchangeAsync(1, [First, .. LiveContent.Raw(Data), LiveContent.End]);
        Assert.Equal($"l scan|a.tif|image/tiff|123|1|{Digest(Data)}", done.Outcome.Text);
        worker.Call(2, "TakeFile", """{"label":"l"}""", wished: ResultEncoding.Raw);
        Assert.Equal("none", (await worker.ExchangeAsync(2, [LiveContent.End])).Outcome.Text);
    }

    [Theory]
    [InlineData("TakeFile", """{"label":"l"}""")]
    [InlineData("TakeFiles", null)]
    [InlineData("TakeFilesLater", null)]
    [InlineData("SkipFiles", null)]
    public async Task A_cut_inside_a_file_never_ends_like_a_complete_file(string operation, string? arguments)
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, operation, arguments);
        var done = await worker.ExchangeAsync(1, [First, .. LiveContent.Raw(Data.AsMemory(0, 300_000))], isAborted: true);
        Assert.Equal((FrameType.Error, ErrorKind.Cancelled), (done.Outcome.Type, ErrorPayload.Read(done.Outcome.Payload).Kind));
        await AssertServesAsync(worker, 2);
    }

    [Theory]
    [InlineData("Upload", """{"label":"a"}""", false)]
    [InlineData("TakeFiles", null, true)]
    public async Task A_host_that_mixes_descriptions_and_bytes_breaks_the_protocol(string operation, string? arguments, bool isRaw)
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, operation, arguments);
        await worker.ExpectAsync(FrameType.Started, 1);
        await worker.ExpectAsync(FrameType.Credit, 1);
        worker.Send(1, isRaw ? LiveContent.Raw(Data.AsMemory(0, 10)).Single() : First);
        Assert.StartsWith("MalformedPayload", (await worker.ExpectByeAsync()).Message, StringComparison.Ordinal);
        Assert.Equal(2, (await worker.ExitAsync()).ExitCode);
    }

    [Fact]
    public async Task Items_of_a_streamed_request_are_taken_while_they_arrive()
    {
        await using var worker = await StartAsync(WithContent);
        worker.Call(1, "SumItems");
        var done = await worker.ExchangeAsync(1, [.. Enumerable.Range(0, 50_000).Select(static i => LiveContent.Described($"{i}")), LiveContent.End]);
        Assert.Equal("1249975000", done.Outcome.Text);
        worker.Call(2, "SumItems");
        var error = ErrorPayload.Read((await worker.ExchangeAsync(2, [LiveContent.Described("1"), LiveContent.Described("{"), LiveContent.End])).Outcome.Payload);
        Assert.Equal((ErrorKind.BadArguments, "numbers[1]"), (error.Kind, Assert.Single(error.BindingErrors).Name));
    }

    [Fact]
    public async Task Started_by_hand_it_says_what_it_is()
    {
        using var process = Process.Start(new ProcessStartInfo(Command[0], Command[1..]) { RedirectStandardError = true })!;
        var said = await process.StandardError.ReadToEndAsync(Token).WithinAsync(20);
        await process.WaitForExitAsync(Token).WithinAsync(20);
        Assert.Equal(64, process.ExitCode);
        Assert.Contains("a Weir host starts it", said, StringComparison.Ordinal);
    }
}
