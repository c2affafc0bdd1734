using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Jobs;

/// <summary>The application on the generic host, as <c>samples/JobsWorker</c> is: no logging, and no server unless it is asked for.</summary>
internal sealed class JobsApplication : IAsyncDisposable
{
    /// <summary>The pool of jobs that wait for each other's slots.</summary>
    public const string Fair = "fair";

    /// <summary>The pool whose workers are killed.</summary>
    public const string Chaos = "chaos";

    /// <summary>The pool whose workers make items.</summary>
    public const string Items = "items";

    // Enough for all that are submitted at once.
    private const int Many = 256;
    private const int Workers = 4;

    private readonly IHost _host;
    private readonly DirectoryInfo? _own;

    private JobsApplication(IHost host, string directory, DirectoryInfo? own, int? port) => (_host, Directory, _own, Port) = (host, directory, own, port);

    public IServiceProvider Services => _host.Services;

    /// <summary>Where its store is.</summary>
    public string Directory { get; }

    /// <summary>Where it serves HTTP on 127.0.0.1; <c>null</c> where it does not.</summary>
    public int? Port { get; }

    /// <summary>
    /// <c>store</c> is sqlite, postgresql, memory or none; <c>directory</c> has an existing one of SQLite, <c>connection</c> names one of PostgreSQL, and <c>lease</c> (s) is that of the process there; <c>run=no</c> only submits; <c>min</c> workers are kept by each pool; <c>best</c> lets as many jobs run as are submitted at once;
    /// <c>pauses</c> is how many <see cref="Works.LimitedPause"/> run at once; <c>limits</c> switches on what costs something for each job; <c>pool</c> names a pool that keeps all of its workers; <c>witness</c> is a folder in which jobs write down that they begin and end;
    /// <c>http=yes</c> serves operations and jobs on a free port.
    /// </summary>
    public static async Task<JobsApplication> StartAsync(ControlLine settings)
    {
        var own = settings.Text("directory", "").Length == 0 ? System.IO.Directory.CreateTempSubdirectory("weir-lab-jobs-") : null;
        var directory = own?.FullName ?? settings["directory"];
        Environment.SetEnvironmentVariable(Witness.FolderVariable, settings.Text("witness", "") is { Length: > 0 } witness ? witness : null);
        var isServed = settings.Is("http", "yes");
        var host = isServed ? JobsServer.Build(services => Configure(services, settings, directory)) : BuildWithoutServer(settings, directory);
        await host.StartAsync();
        return new JobsApplication(host, directory, own, isServed ? JobsServer.PortOf(host.Services) : null);
    }

    /// <summary>Stops what it runs, as at the end of a process, and returns how many milliseconds that took.</summary>
    public async Task<double> StopAsync()
    {
        var began = Clock.Now;
        await _host.StopAsync();
        return Clock.MillisecondsBetween(began, Clock.Now);
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        await ((IAsyncDisposable)_host).DisposeAsync();
        _own?.Delete(recursive: true);
    }

    private static IHost BuildWithoutServer(ControlLine settings, string directory)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        Configure(builder.Services, settings, directory);
        return builder.Build();
    }

    private static void Configure(IServiceCollection services, ControlLine settings, string directory)
    {
        services.AddWeir(weir =>
        {
            weir.PoolDefaults.MinWorkers = settings.Int("min", 1);
            weir.PoolDefaults.MaxWorkers = 2;
            weir.PoolDefaults.Concurrency = Many;
            Share(weir, Fair, settings);
            Share(weir, Chaos, settings);
            Share(weir, Items, settings);
        });
        if (!settings.Is("store", "none"))
            AddJobs(services, settings, directory);
    }

    // One job a worker; none before the first job, except in the pool that is asked for.
    private static void Share(WeirOptions weir, string name, ControlLine settings)
    {
        var pool = weir.Pool(name);
        (pool.MinWorkers, pool.MaxWorkers, pool.Concurrency) = (settings.Is("pool", name) ? Workers : 0, Workers, 1);
        if (Environment.GetEnvironmentVariable(Witness.FolderVariable) is { } folder)
            pool.EnvironmentVariables[Witness.FolderVariable] = folder;
    }

    // Apart: the caller is compiled without what this needs.
    private static void AddJobs(IServiceCollection services, ControlLine settings, string directory) => services.AddWeirJobs(jobs =>
    {
        jobs.Run = !settings.Is("run", "no");
        jobs.DrainTimeout = TimeSpan.FromSeconds(5);
        if (settings.Is("store", "sqlite"))
            jobs.UseSqlite(Path.Combine(directory, "jobs.db"));
        else if (settings.Is("store", "postgresql"))
            UsePostgreSql(jobs, settings);
        else
            jobs.UseMemory();
        if (settings.Is("best", "yes"))
            (jobs.Kind("Works/Nothing").Concurrency, jobs.Kind("Works/Stamp").Concurrency) = (Many, Many);
        if (settings.Int("pauses", 0) is > 0 and var pauses)
            (jobs.Kind("Works/LimitedPause").Concurrency, jobs.MaxRunning) = (pauses, null);
        if (settings.Is("limits", "yes"))
            Limit(jobs);
    });

    // Apart: an application on another store loads nothing of it.
    private static void UsePostgreSql(WeirJobsOptions jobs, ControlLine settings) =>
        jobs.UsePostgreSql(settings["connection"], store => store.Lease = settings.Int("lease", 0) is > 0 and var lease ? TimeSpan.FromSeconds(lease) : store.Lease);

    // What is measured beside jobs without it: what a version adds to an application is switched on here, to a kind at Works.Limited, LimitedStamp and LimitedPause, to a submission in JobsProgram.LimitedOptions.
    private static void Limit(WeirJobsOptions jobs)
    {
        foreach (var kind in new[] { jobs.Kind("Works/Limited"), jobs.Kind("Works/LimitedStamp") })
        {
            (kind.Concurrency, kind.MaxPerKey, kind.MaxTotal) = (Many, Many, Many);
        }

        jobs.Kind("Works/LimitedPause").MaxPerKey = 1;
        var nightly = jobs.Schedule("nightly");
        (nightly.Kind, nightly.Cron, nightly.TimeZone) = ("Works/Nothing", "0 3 * * *", "Europe/Berlin");
        nightly.Arguments = """{"number":1}""";
    }
}
