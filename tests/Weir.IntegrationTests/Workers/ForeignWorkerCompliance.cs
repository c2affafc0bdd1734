using System.Diagnostics;
using Weir.Execution.Pools.Definition;
using Weir.IntegrationTests.Processes;
using Weir.Protocol.Frames;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Workers;

/// <summary>What is asked besides of workers that have no region: they are started as a pool starts them.</summary>
public abstract class ForeignWorkerCompliance : WorkerCompliance
{
    private protected override string Service => "Compliance";

    private protected override WorkerProgram Program => WorkerProgram.ForCommand(Command, new PoolOptions());

    private protected abstract string[] Command { get; }

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
