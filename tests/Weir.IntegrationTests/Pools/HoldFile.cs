namespace Weir.IntegrationTests.Pools;

/// <summary>
/// An event from a test to its scripted workers: calls with the script <c>await {Path}</c> run as long as the file exists. Declare it after
/// the pool: then a test that fails lets its calls continue before it drains the pool.
/// </summary>
internal sealed class HoldFile : IDisposable
{
    public HoldFile() => File.WriteAllText(Path, "");

    /// <summary>For the script of a call; without spaces.</summary>
    public string Path { get; } = System.IO.Path.Combine(System.IO.Path.GetTempPath(), $"weir-{Guid.NewGuid():N}");

    public void Release() => File.Delete(Path);

    public void Dispose() => Release();
}
