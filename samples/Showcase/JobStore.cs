using Weir;

namespace Showcase;

/// <summary>Where jobs are stored: in a file for each port, so that the next start at the same address continues with them, and two showcases share none.</summary>
internal static class JobStore
{
    /// <summary>Names another file in the configuration: <c>--Jobs:Store reports.db</c>. A relative path begins at the content root.</summary>
    internal const string Setting = "Jobs:Store";

    internal static void Configure(WeirJobsOptions jobs, string? path)
    {
        // A page that is stored is not built again: a showcase that ends waits for none.
        jobs.DrainTimeout = TimeSpan.Zero;
        if (path is null)
        {
            jobs.UseMemory();
        }
        else
        {
            jobs.UseSqlite(path);
        }
    }

    /// <summary>The file; <c>null</c> where the system chooses the port: no later start has the same, and the jobs are in memory.</summary>
    internal static string? PathFor(IConfiguration configuration, string urls)
    {
        if (configuration[Setting] is { Length: > 0 } path)
        {
            return path;
        }

        if (BindingAddress.Parse(urls.Split(';')[0]).Port is var port && port == 0)
        {
            return null;
        }

        var folder = Path.Combine(AppContext.BaseDirectory, "data");
        Directory.CreateDirectory(folder);
        return Path.Combine(folder, $"jobs-{port}.db");
    }
}
