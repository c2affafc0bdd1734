using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Weir.Lab.Isolation;

namespace Weir.Lab.Jobs;

/// <summary>The application on the generic host, as <c>samples/JobsWorker</c> is: no server, no logging.</summary>
internal sealed class JobsApplication : IAsyncDisposable
{
    // Enough for all that are submitted at once.
    private const int Many = 256;

    private readonly IHost _host;
    private readonly DirectoryInfo? _own;

    private JobsApplication(IHost host, string directory, DirectoryInfo? own) => (_host, Directory, _own) = (host, directory, own);

    public IServiceProvider Services => _host.Services;

    /// <summary>Where its store is.</summary>
    public string Directory { get; }

    /// <summary><c>store</c> is sqlite, memory or none; <c>directory</c> has an existing one; <c>run=no</c> only submits; <c>min</c> workers are kept by each pool; <c>best</c> lets as many jobs run as are submitted at once.</summary>
    public static async Task<JobsApplication> StartAsync(ControlLine settings)
    {
        var own = settings.Text("directory", "").Length == 0 ? System.IO.Directory.CreateTempSubdirectory("weir-lab-jobs-") : null;
        var directory = own?.FullName ?? settings["directory"];
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddWeir(weir =>
        {
            weir.PoolDefaults.MinWorkers = settings.Int("min", 1);
            weir.PoolDefaults.MaxWorkers = 2;
            weir.PoolDefaults.Concurrency = Many;
        });
        if (!settings.Is("store", "none"))
            AddJobs(builder.Services, settings, directory);
        var application = new JobsApplication(builder.Build(), directory, own);
        await application._host.StartAsync();
        return application;
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        await ((IAsyncDisposable)_host).DisposeAsync();
        _own?.Delete(recursive: true);
    }

    // Apart: the caller is compiled without what this needs.
    private static void AddJobs(IServiceCollection services, ControlLine settings, string directory) => services.AddWeirJobs(jobs =>
    {
        jobs.Run = !settings.Is("run", "no");
        jobs.DrainTimeout = TimeSpan.FromSeconds(5);
        if (settings.Is("store", "sqlite"))
            jobs.UseSqlite(Path.Combine(directory, "jobs.db"));
        else
            jobs.UseMemory();
        if (settings.Is("best", "yes"))
            jobs.Kind("Works/Nothing").Concurrency = Many;
    });
}
