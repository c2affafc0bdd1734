namespace Weir.IntegrationTests.Packaging;

/// <summary>The repository these tests were built from.</summary>
internal static class RepositoryRoot
{
    /// <summary>The folder that holds <c>Weir.slnx</c>.</summary>
    public static string Path { get; } = Find();

    /// <summary>The configuration these tests were built in, as <c>Release</c>.</summary>
    public static string Configuration { get; } =
        new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;

    private static string Find()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(System.IO.Path.Combine(folder.FullName, "Weir.slnx")))
        {
            folder = folder.Parent;
        }

        return folder?.FullName ?? throw new InvalidOperationException($"No Weir.slnx above {AppContext.BaseDirectory}.");
    }
}
