using Weir.Execution.Processes.Linux.Interop;
using Xunit;

namespace Weir.IntegrationTests.Processes;

public sealed class KernelFileTests : IDisposable
{
    private readonly string _path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());

    public void Dispose() => File.Delete(_path);

    [Theory]
    [InlineData(0)]
    [InlineData(4095)]
    [InlineData(4096)]
    [InlineData(100_000)]
    public void A_file_is_read_to_its_end_however_long_it_is(int length)
    {
        var text = new string('x', length);
        File.WriteAllText(_path, text + "\n");
        Assert.Equal(text, KernelFile.Read(_path));
    }

    [Fact]
    public void Only_the_end_is_trimmed()
    {
        File.WriteAllText(_path, " a\n b \n\n");
        Assert.Equal(" a\n b", KernelFile.Read(_path));
    }

    [Fact]
    public void A_file_that_says_no_length_is_read_too() => Assert.StartsWith("Name:", KernelFile.Read("/proc/self/status"), StringComparison.Ordinal);

    [Fact]
    public void What_is_not_there_is_nothing()
    {
        Assert.Null(KernelFile.Read(_path));
        Assert.Null(KernelFile.Read("/proc/0/stat"));
        Assert.Null(KernelFile.Read("/proc"));
    }
}
