using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Weir.Jobs.Sqlite;

namespace Weir;

/// <summary>Chooses SQLite as the store of jobs.</summary>
public static class WeirJobsSqliteExtensions
{
    // In which a process that stops closes the file, after its host's shutdown timeout.
    private static readonly TimeSpan Margin = TimeSpan.FromSeconds(15);

    /// <summary>
    /// Keeps jobs in one SQLite file: nothing to install, for one process. A second process that opens it waits for the first to stop, as long as the host's shutdown timeout and 15 s, and then fails its start (WEIR3026). The folder must be on a
    /// local disk (WEIR3027).
    /// </summary>
    /// <param name="options">The options of jobs.</param>
    /// <param name="path">The file; it is made where there is none. A relative path begins at the application's content root.</param>
    /// <returns>The same options.</returns>
    public static WeirJobsOptions UseSqlite(this WeirJobsOptions options, string path)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentException.ThrowIfNullOrEmpty(path);
        options.Store = services =>
        {
            var root = services.GetService<IHostEnvironment>()?.ContentRootPath;
            var shutdown = services.GetService<IOptions<HostOptions>>()?.Value.ShutdownTimeout is { Ticks: >= 0 } timeout ? timeout : TimeSpan.Zero;
            return new SqliteJobStore(root is null ? path : Path.Combine(root, path), shutdown + Margin, services.GetService<TimeProvider>() ?? TimeProvider.System);
        };
        return options;
    }
}
