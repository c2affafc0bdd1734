using Weir.Worker.Platform;

namespace Weir.Tests.Worker;

public sealed class WorkerArgumentsTests
{
    [Theory]
    [InlineData("1", 1)]
    [InlineData("0042", 42)]
    [InlineData("2147483647", int.MaxValue)]
    [InlineData("2147483648", 0)]
    [InlineData("99999999999999999999999999", 0)]
    [InlineData("0", 0)]
    [InlineData("-1", 0)]
    [InlineData("+1", 0)]
    [InlineData(" 1", 0)]
    [InlineData("1x", 0)]
    [InlineData("\u0661", 0)]
    [InlineData("", 0)]
    public void The_process_id_of_the_host_has_only_digits(string text, int number)
    {
        Assert.Equal(number > 0, WorkerArguments.TryReadProcessId(text, out var read));
        Assert.Equal(number, read);
    }
}
