using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>The names of contenders that run jobs, and how they are started.</summary>
internal static class JobContenders
{
    public const string Sqlite = "weir SQLite";
    public const string SqliteDefaults = "weir SQLite, defaults";
    public const string Isolated = "weir SQLite, isolated";
    public const string Memory = "weir memory";
    public const string OneCommit = "one commit a job";
    public const string HangfireSqlite = "Hangfire SQLite";
    public const string HangfireSqliteDefaults = "Hangfire SQLite, defaults";
    public const string HangfireMemory = "Hangfire InMemory";
    public const string HangfireMemoryDefaults = "Hangfire InMemory, defaults";

    private static readonly Dictionary<string, ProgramLaunch> Launches = new()
    {
        [Sqlite] = ProgramLaunch.OfJobs("store=sqlite", "best=yes"),
        [SqliteDefaults] = ProgramLaunch.OfJobs("store=sqlite"),
        [Isolated] = ProgramLaunch.OfJobs("store=sqlite"),
        [Memory] = ProgramLaunch.OfJobs("store=memory", "best=yes"),
        [OneCommit] = ProgramLaunch.OfJobs("store=sqlite", "best=yes"),

        // More threads contend for the file, and a longer interval lets them sleep beside jobs that wait.
        [HangfireSqlite] = ProgramLaunch.OfNetPeers("hangfire", "store=sqlite", "workers=5", "poll=1"),
        [HangfireSqliteDefaults] = ProgramLaunch.OfNetPeers("hangfire", "store=sqlite"),
        [HangfireMemory] = ProgramLaunch.OfNetPeers("hangfire", "store=memory", "workers=32"),
        [HangfireMemoryDefaults] = ProgramLaunch.OfNetPeers("hangfire", "store=memory"),
    };

    public static ProgramLaunch Launch(string contender) => Launches[contender];

    /// <summary>A directory that several processes have one after the other, removed with this.</summary>
    internal sealed class SharedDirectory : IAsyncDisposable
    {
        private readonly Lazy<DirectoryInfo> _directory = new(static () => System.IO.Directory.CreateTempSubdirectory("weir-lab-jobs-"));

        /// <summary>A folder in it.</summary>
        public string Folder(string name) => _directory.Value.CreateSubdirectory(name).FullName;

        public ValueTask DisposeAsync()
        {
            if (_directory.IsValueCreated)
                _directory.Value.Delete(recursive: true);
            return ValueTask.CompletedTask;
        }
    }
}
