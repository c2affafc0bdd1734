using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Tests.Processes;

public sealed class SharedProcessesTests : IAsyncDisposable
{
    // Answers with its own number; the second question breaks it.
    private static readonly ProgramLaunch Launch = new("/bin/sh",
        ["-c", "echo '@ready'; read line; echo \"@ok answer=$$\"; read line; echo '@error message=broken'; while read line; do echo \"@ok answer=$$\"; done"]);

    private readonly SharedProcesses _shared = new();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_next_case_meets_the_process_of_the_case_before()
    {
        var first = await _shared.EnterAsync("a", Launch, Cancellation);
        Assert.Same(first, await _shared.EnterAsync("a", Launch, Cancellation));
    }

    [Fact]
    public async Task Contenders_of_other_names_and_other_programs_have_processes_of_their_own()
    {
        var first = await _shared.EnterAsync("a", Launch, Cancellation);
        Assert.NotSame(first, await _shared.EnterAsync("b", Launch, Cancellation));
        Assert.NotSame(first, await _shared.EnterAsync("a", Launch with { Arguments = [.. Launch.Arguments, "more"] }, Cancellation));
    }

    [Fact]
    public async Task One_that_has_ended_is_started_again()
    {
        var first = await _shared.EnterAsync("a", Launch, Cancellation);
        first.Kill();
        while (!first.HasExited)
            await Task.Delay(5, Cancellation);
        var second = await _shared.EnterAsync("a", Launch, Cancellation);
        Assert.NotSame(first, second);
        Assert.False(second.HasExited);
    }

    [Fact]
    public async Task A_contender_that_went_well_leaves_its_process_for_the_next_case()
    {
        var answer = await AnswerAsync(New());
        Assert.Equal(answer, (await _shared.EnterAsync("a", Launch, Cancellation)).Pid.ToString(System.Globalization.CultureInfo.InvariantCulture));
    }

    [Fact]
    public async Task A_contender_that_broke_takes_its_process_along()
    {
        var contender = New();
        var pid = await AnswerAsync(contender, disposed: false);
        await Assert.ThrowsAsync<ContenderException>(() => contender.RunAsync(Cancellation));
        await contender.DisposeAsync();
        Assert.NotEqual(pid, await AnswerAsync(New()));
    }

    public ValueTask DisposeAsync() => _shared.DisposeAsync();

    private static async Task<string?> AnswerAsync(HostedContender contender, bool disposed = true)
    {
        await contender.PrepareAsync(Cancellation);
        var answer = await contender.AnswerAsync(Cancellation);
        if (disposed)
            await contender.DisposeAsync();
        return answer;
    }

    private HostedContender New() => new("a", Launch) { Shared = _shared, Question = new ControlLine("who") };
}
