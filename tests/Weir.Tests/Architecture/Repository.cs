namespace Weir.Tests.Architecture;

/// <summary>The files of the repository these tests were built from.</summary>
internal static class Repository
{
    /// <summary>Where the repository is published: links of packages and of messages begin with it.</summary>
    public const string Pages = "https://github.com/weir-dotnet/weir";

    /// <summary>The folder that holds <c>Weir.slnx</c>.</summary>
    public static string Root { get; } = FindRoot();

    /// <summary>Hand-written sources of every shipped project.</summary>
    public static IReadOnlyList<SourceFile> Sources { get; } = [.. SourcesUnder("src")];

    /// <summary>Every project file.</summary>
    public static IReadOnlyList<ProjectFile> Projects { get; } =
        [.. Files("", "*.csproj").Select(path => new ProjectFile(path, Read(path)))];

    /// <summary>Hand-written C# sources under a folder.</summary>
    public static IEnumerable<SourceFile> SourcesUnder(string folder) =>
        Files(folder, "*.cs").Select(path => new SourceFile(path, Read(path)));

    /// <summary>Paths under a folder, relative to the root and with slashes; build output and dot folders left out.</summary>
    public static IEnumerable<string> Files(string folder, string pattern)
    {
        var start = Path.Combine(Root, folder);
        return Directory.Exists(start)
            ? Directory.EnumerateFiles(start, pattern, SearchOption.AllDirectories)
                .Select(file => Path.GetRelativePath(Root, file).Replace('\\', '/'))
                .Where(path => !path.Split('/').Any(IsOutput))
                .Order(StringComparer.Ordinal)
            : [];
    }

    /// <summary>The text of a file.</summary>
    public static string Read(string path) => File.ReadAllText(Path.Combine(Root, path));

    /// <summary>Whether there is such a file or folder.</summary>
    public static bool Exists(string path) => Path.Exists(Path.Combine(Root, path));

    private static bool IsOutput(string segment) =>
        segment is "bin" or "obj" or "artifacts" or "node_modules" || segment.StartsWith('.');

    private static string FindRoot()
    {
        var folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Weir.slnx")))
        {
            folder = Path.GetDirectoryName(folder);
        }

        return folder ?? throw new InvalidOperationException($"No Weir.slnx above {AppContext.BaseDirectory}.");
    }
}
