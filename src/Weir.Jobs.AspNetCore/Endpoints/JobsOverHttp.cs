using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Responses;
using Weir.AspNetCore.Streaming;
using Weir.Jobs.AspNetCore.Access;
using Weir.Jobs.AspNetCore.Answers;
using Weir.Jobs.AspNetCore.Hosting;
using Weir.Jobs.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Submitting;
using Weir.Jobs.AspNetCore.Waiting;
using Weir.Jobs.Recording;

namespace Weir.Jobs.AspNetCore.Endpoints;

/// <summary>The parts of which the endpoints of jobs are made. One per application; used concurrently.</summary>
internal sealed class JobsOverHttp
{
    private static readonly ConditionalWeakTable<DeferredCalls, JobsOverHttp> All = new();

    private readonly DeferredCalls _deferred;
    private bool _servesAdmin;

    private JobsOverHttp(IServiceProvider services)
    {
        _deferred = services.GetRequiredService<DeferredCalls>();
        Services = new JobServices(services);
        Access = new JobAccess(Services);
        Problems = new JobProblems(Services);
        Json = new JobJson(Services, Problems);
        Waits = new JobWaits(Services, services.GetRequiredService<ShutdownCut>());
        Results = new JobResults(Services, Problems);
    }

    public JobServices Services { get; }

    public JobAccess Access { get; }

    public JobProblems Problems { get; }

    public JobJson Json { get; }

    public JobWaits Waits { get; }

    public JobResults Results { get; }

    /// <summary>Those of an application.</summary>
    public static JobsOverHttp Of(IServiceProvider services) => All.GetValue(services.GetRequiredService<DeferredCalls>(), _ => new JobsOverHttp(services));

    /// <summary>Operators are served from now on.</summary>
    /// <exception cref="InvalidOperationException">They are already.</exception>
    public void ServeAdmin()
    {
        if (_servesAdmin)
        {
            throw new InvalidOperationException("MapWeirJobsAdmin was called twice, and one policy decides who sees every job: call it once.");
        }

        _servesAdmin = true;
    }

    /// <summary>Requests become jobs from now on.</summary>
    /// <exception cref="InvalidOperationException">They do already.</exception>
    public void Serve()
    {
        if (_deferred.Deferral is not null)
        {
            throw new InvalidOperationException("MapWeirJobs was called twice, and a job has one address: call it once.");
        }

        _deferred.Deferral = new JobDeferral(Services, Services.Services.GetRequiredService<JobRecorder>, Problems, Waits, Results, Json);
        Services.Services.GetRequiredService<MappedOperations>().ServesJobs = true;
    }
}
