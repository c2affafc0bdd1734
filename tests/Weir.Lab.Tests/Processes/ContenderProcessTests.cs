using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Tests.Processes;

public sealed class ContenderProcessTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task It_is_asked_and_answers_and_what_else_it_prints_is_kept()
    {
        await using var process = await ContenderProcess.StartAsync(
            Shell("echo '@ready port=1'; read line; echo noise; echo '@reading metric=rate value=2 unit=1/s'; echo '@ok'; read line"), Cancellation);
        var round = await process.RunAsync(new ControlLine("run"), Cancellation);
        Assert.Equal(2, round["rate"]);
        Assert.Equal("noise", process.Output);
    }

    [Fact]
    public async Task One_that_ends_says_with_which_code_and_last_words()
    {
        var error = await Assert.ThrowsAsync<ContenderException>(() => ContenderProcess.StartAsync(Shell("echo 'no port free' >&2; exit 3"), Cancellation));
        Assert.True(error.HasEnded);
        Assert.Contains("code 3. no port free", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_that_reports_an_error_lives_on()
    {
        await using var process = await ContenderProcess.StartAsync(
            Shell("echo '@ready'; read line; echo '@error message=too%20much'; read line; echo '@ok'; read line"), Cancellation);
        var error = await Assert.ThrowsAsync<ContenderException>(() => process.RunAsync(new ControlLine("run"), Cancellation));
        Assert.Equal("too much", error.Message);
        Assert.Equal("ok", (await process.AskAsync(new ControlLine("again"), Cancellation)).Verb);
    }

    private static ProgramLaunch Shell(string script) => new("/bin/sh", ["-c", script]);
}
