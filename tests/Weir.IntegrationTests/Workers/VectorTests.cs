using System.Diagnostics;
using Weir.IntegrationTests.Packaging;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Workers;

/// <summary>Every worker reads and writes the golden files byte for byte, as <c>Weir.Tests.Protocol.VectorTests</c> does for .NET.</summary>
public sealed class VectorTests
{
    private static readonly string Vectors = Path.Combine(RepositoryRoot.Path, "tests/vectors");

    [Theory]
    [InlineData("Python", "tests/workers/vectors.py")]
    [InlineData("Node", "tests/workers/vectors.js")]
    [InlineData("Mono", null)]
    public async Task A_worker_reads_and_writes_the_golden_files_byte_for_byte(string language, string? script)
    {
        var command = Interpreters.Of(language);
        string[] arguments = script is null ? [command[1], "--vectors", Vectors] : [Path.Combine(RepositoryRoot.Path, script), Vectors];
        using var process = Process.Start(new ProcessStartInfo(command[0], arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        var wrong = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        var said = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken).WithinAsync(30);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken).WithinAsync(30);
        Assert.Equal("", await wrong);
        Assert.Equal((0, $"{Directory.GetFiles(Vectors, "*.hex").Length} vectors"), (process.ExitCode, said.Trim()));
    }
}
