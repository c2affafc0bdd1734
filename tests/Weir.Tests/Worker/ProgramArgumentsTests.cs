using Weir.Worker.Platform;

namespace Weir.Tests.Worker;

public sealed class ProgramArgumentsTests
{
    [Fact]
    public void A_program_and_its_arguments_follow_the_host()
    {
        Assert.True(ProgramArguments.TryParse(["exec", "--host", "4711", "--", "node", "worker.js", "--", "--host", "4711"], out var arguments));
        Assert.Equal(4711, arguments.HostProcessId);
        Assert.Equal(["node", "worker.js", "--", "--host", "4711"], arguments.Command);
    }

    [Theory]
    [InlineData()]
    [InlineData("--app", "A", "--host", "1")]
    [InlineData("exec")]
    [InlineData("exec", "--host", "1", "--")]
    [InlineData("exec", "--host", "0", "--", "node")]
    [InlineData("exec", "--host", "-1", "--", "node")]
    [InlineData("exec", "--host", "one", "--", "node")]
    [InlineData("exec", "--", "node")]
    public void Anything_else_is_not_its_command_line(params string[] args) => Assert.False(ProgramArguments.TryParse(args, out _));
}
