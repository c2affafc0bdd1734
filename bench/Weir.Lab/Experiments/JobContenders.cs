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

    /// <summary>What is new in jobs switched on: a key for each job, and what <c>JobsApplication.Limit</c> sets.</summary>
    public const string Limits = "weir SQLite, limits on";

    /// <summary>The application of an earlier version, with the same jobs as <see cref="Limits"/> and what that version knows of their limits.</summary>
    public const string Before = "weir SQLite, before";
    public const string HangfireSqlite = "Hangfire SQLite";
    public const string HangfireSqliteDefaults = "Hangfire SQLite, defaults";
    public const string HangfireMemory = "Hangfire InMemory";
    public const string HangfireMemoryDefaults = "Hangfire InMemory, defaults";
    public const string HangfireQueues = "Hangfire InMemory, a queue per tenant";

    private static readonly Dictionary<string, ProgramLaunch> Launches = new()
    {
        [Sqlite] = ProgramLaunch.OfJobs("store=sqlite", "best=yes"),
        [SqliteDefaults] = ProgramLaunch.OfJobs("store=sqlite"),
        [Isolated] = ProgramLaunch.OfJobs("store=sqlite"),
        [Limits] = ProgramLaunch.OfJobs("store=sqlite", "best=yes", "limits=yes"),
        [Before] = ProgramLaunch.OfJobsBefore("store=sqlite", "best=yes", "limits=yes"),
        [Memory] = ProgramLaunch.OfJobs("store=memory", "best=yes"),
        [OneCommit] = ProgramLaunch.OfJobs("store=sqlite", "best=yes"),

        // More threads contend for the file, and a longer interval lets them sleep beside jobs that wait.
        [HangfireSqlite] = ProgramLaunch.OfNetPeers("hangfire", "store=sqlite", "workers=5", "poll=1"),
        [HangfireSqliteDefaults] = ProgramLaunch.OfNetPeers("hangfire", "store=sqlite"),
        [HangfireMemory] = ProgramLaunch.OfNetPeers("hangfire", "store=memory", "workers=32"),
        [HangfireMemoryDefaults] = ProgramLaunch.OfNetPeers("hangfire", "store=memory"),
        [HangfireQueues] = ProgramLaunch.OfNetPeers("hangfire", "store=memory", "workers=32", "queues=yes"),
    };

    /// <summary>The names that are compared for what limits cost: with an earlier version where there is one, otherwise with this one without them.</summary>
    public static string[] WithLimits => BuiltPrograms.JobsAppBefore is null ? [Limits] : [Limits, Before];

    /// <summary>What <see cref="Limits"/> is compared with.</summary>
    public static string WithoutLimits => BuiltPrograms.JobsAppBefore is null ? Sqlite : Before;

    public static ProgramLaunch Launch(string contender) => Launches[contender];

    /// <summary>The same with more settings.</summary>
    public static ProgramLaunch Launch(string contender, params string[] settings) => Launches[contender] with { Arguments = [.. Launches[contender].Arguments, .. settings] };

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
