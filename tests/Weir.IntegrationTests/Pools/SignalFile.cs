using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Pools;

/// <summary>An event from a scripted worker to its test: a file that the worker creates.</summary>
internal sealed class SignalFile : IDisposable
{
    private const double Soon = 60;

    /// <summary>For the script of a call; without spaces.</summary>
    public string Path { get; } = System.IO.Path.Combine(System.IO.Path.GetTempPath(), $"weir-{Guid.NewGuid():N}");

    public async Task IsSetAsync() => Assert.True(await ProcFiles.EventuallyAsync(() => File.Exists(Path), TimeSpan.FromSeconds(Soon)));

    public void Dispose() => File.Delete(Path);
}
