using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Services;

/// <summary>
/// Where calls in workers wait until the test lets them continue. It is a folder, because a worker is another process: each call
/// that arrives creates a file in it, and all of them wait until one more file exists, or until the folder is gone. Declare it after the
/// pool: then a test that fails lets its calls continue before it drains the pool.
/// </summary>
internal sealed class Checkpoint : IDisposable
{
    private const double Soon = 60;
    private const string Arrival = "arrived-";
    private const string Opening = "open";

    /// <summary>What the test passes to the operation.</summary>
    public string Folder { get; } = Directory.CreateTempSubdirectory("weir-checkpoint-").FullName;

    /// <summary>Ends when so many calls have arrived.</summary>
    public async Task ReachedAsync(int calls = 1)
    {
        var isReached = await ProcFiles.EventuallyAsync(() => Arrived() >= calls, TimeSpan.FromSeconds(Soon));
        Assert.True(isReached, $"{Arrived()} of {calls} calls have arrived.");
    }

    /// <summary>Lets all calls continue, those that arrive later too.</summary>
    public void Open() => File.WriteAllText(Path.Combine(Folder, Opening), "");

    public void Dispose() => Directory.Delete(Folder, recursive: true);

    /// <summary>The side of the worker.</summary>
    internal static async Task PassAsync(string folder, CancellationToken cancellationToken)
    {
        await File.WriteAllTextAsync(Path.Combine(folder, $"{Arrival}{Guid.NewGuid():N}"), "", CancellationToken.None);
        while (Directory.Exists(folder) && !File.Exists(Path.Combine(folder, Opening)))
        {
            await Task.Delay(2, cancellationToken);
        }
    }

    private int Arrived() => Directory.GetFiles(Folder, $"{Arrival}*").Length;
}
