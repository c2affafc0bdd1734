namespace Weir.Lab.Processes;

/// <summary>Programs that are built beside the lab, and the repository around them.</summary>
internal static class BuiltPrograms
{
    /// <summary>The folder that holds <c>Weir.slnx</c>.</summary>
    public static string Repository { get; } = FindRepository();

    /// <summary>Debug or Release: all are built alike.</summary>
    public static string Configuration => new DirectoryInfo(AppContext.BaseDirectory.TrimEnd('/')).Parent!.Name;

    /// <summary>The program that does nothing, for the runtime of today.</summary>
    public static string Empty { get; } = PathOf("Weir.Lab.Empty", "net10.0", "dll");

    /// <summary>The same for Mono.</summary>
    public static string EmptyOnMono { get; } = PathOf("Weir.Lab.Empty", "net472", "exe");

    /// <summary>The framework's own small web application.</summary>
    public static string MinimalApp { get; } = PathOf("Weir.Lab.MinimalApp", "net10.0", "dll");

    /// <summary>The same on Weir.</summary>
    public static string WeirApp { get; } = PathOf("Weir.Lab.WeirApp", "net10.0", "dll");

    /// <summary>The same on Weir with an isolated service.</summary>
    public static string PoolApp { get; } = PathOf("Weir.Lab.PoolApp", "net10.0", "dll");

    /// <summary>Document 003's worker, for the runtime of today.</summary>
    public static string TaskWorker { get; } = PathOf("Weir.Lab.TaskWorker", "net10.0", "dll");

    /// <summary>The same for Mono.</summary>
    public static string TaskWorkerOnMono { get; } = PathOf("Weir.Lab.TaskWorker", "net472", "exe");

    /// <summary>Document 003's host on .NET Framework.</summary>
    public static string MonoHost { get; } = PathOf("Weir.Lab.MonoHost", "net472", "exe");

    /// <summary>Weir's worker for .NET Framework with document 003's task.</summary>
    public static string MonoWorker { get; } = PathOf("Weir.Lab.MonoWorker", "net472", "exe");

    /// <summary>An application with jobs.</summary>
    public static string JobsApp { get; } = PathOf("Weir.Lab.JobsApp", "net10.0", "dll");

    /// <summary>An application with jobs that was built from an earlier version, for a comparison of the two: the file that <c>WEIR_LAB_JOBS_BEFORE</c> names; or <c>null</c>.</summary>
    public static string? JobsAppBefore { get; } = Environment.GetEnvironmentVariable("WEIR_LAB_JOBS_BEFORE") is { Length: > 0 } path ? path : null;

    /// <summary>The same with 300 kinds of jobs more.</summary>
    public static string JobKinds { get; } = PathOf("Weir.Lab.JobKinds", "net10.0", "dll");

    /// <summary>Contenders on .NET that need packages: what lies beside the lab belongs to the start of its workers.</summary>
    public static string NetPeers { get; } = PathOf("Weir.Lab.NetPeers", "net10.0", "dll");

    /// <summary>The command-line tool <c>weir</c>.</summary>
    public static string Cli { get; } = PathOf("Weir.Cli", "net10.0", "dll", folder: "src");

    private static string PathOf(string project, string framework, string extension, string folder = "bench") =>
        Path.Combine(Repository, folder, project, "bin", Configuration, framework, $"{project}.{extension}");

    private static string FindRepository()
    {
        var folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Weir.slnx")))
            folder = Path.GetDirectoryName(folder);
        return folder ?? throw new InvalidOperationException($"No Weir.slnx above {AppContext.BaseDirectory}: the lab runs where it was built.");
    }
}
