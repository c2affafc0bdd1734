namespace Weir.Cli.Tests;

/// <summary>A folder for one test.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    public TemporaryFolder() => Path = Directory.CreateTempSubdirectory("weir-cli-").FullName;

    public string Path { get; }

    /// <summary>Writes a file into it.</summary>
    public string Write(string name, string text)
    {
        var path = Of(name);
        File.WriteAllText(path, text);
        return path;
    }

    /// <summary>The path of a file in it.</summary>
    public string Of(string name) => System.IO.Path.Combine(Path, name);

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
