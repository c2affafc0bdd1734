using System.Runtime;
using System.Runtime.InteropServices;
using Microsoft.Extensions.DependencyInjection;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Jobs;

/// <summary>An application with jobs, spoken to by the lab's lines.</summary>
internal static class JobsProgram
{
    /// <summary>Jobs that are submitted together.</summary>
    public const int Part = 1_000;

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(100);

    // As many as a claim looks at.
    private const int ClaimedKeys = 64;

    private static int _nextTenant;

    /// <summary>Runs until the input ends.</summary>
    /// <param name="args">Settings as key=value.</param>
    /// <param name="began">When the runtime had started.</param>
    /// <param name="schedule">Stores jobs that are due far away; <c>null</c> where the application has no kinds for it.</param>
    public static async Task RunAsync(string[] args, long began, Func<IServiceProvider, int, Task>? schedule = null)
    {
        var settings = new ControlLine("start");
        foreach (var setting in args)
        {
            var parts = setting.Split('=', 2);
            settings.With(parts[0], parts.ElementAtOrDefault(1) ?? "");
        }

        using var commits = new CommitCount();
        await using var application = await JobsApplication.StartAsync(settings);
        var witness = settings.Text("witness", "");
        var (fair, chaos) = witness.Length == 0 ? (null, null) : (new FairProgram(application.Services, witness), new ChaosProgram(application.Services, witness));
        var ready = new ControlLine("ready").With("runtime", RuntimeInformation.FrameworkDescription).With("gc", GCSettings.IsServerGC ? "server" : "workstation");
        if (application.Port is { } port)
            ready.With("port", port);
        ContenderLoop.Run(ready, request => AnswerAsync(request).GetAwaiter().GetResult());

        async Task<IEnumerable<ControlLine>> AnswerAsync(ControlLine request)
        {
            var services = application.Services;
            switch (request.Verb, request.Text("what", ""))
            {
                case ("answer", "inline"):
                    return [new ControlLine("ok").With("answer", await (await services.GetRequiredService<IJobs<IWorksClient>>().EnqueueAsync(static works => works.Nothing(41))).ResultAsync())];
                case ("answer", "isolated"):
                    return [new ControlLine("ok").With("answer", await (await services.GetRequiredService<IJobs<IWorkerWorksClient>>().EnqueueAsync(static works => works.Nothing(41))).ResultAsync())];
                case ("answer", "each inline"):
                    var counted = services.GetRequiredService<IJobs<IWorksClient>>();
                    return [await EachOnce.AnswerAsync(request, number => counted.EnqueueAsync(works => works.Counted(number)), static () => Works.TimesCounted)];
                case ("answer", "each elsewhere"):
                    var elsewhere = services.GetRequiredService<IJobs<IWorksClient>>();
                    return [await EachOnce.AnswerAsync(request, number => elsewhere.EnqueueAsync(works => works.Counted(number)))];
                case ("answer", "each isolated"):
                    var isolated = services.GetRequiredService<IJobs<IWorkerWorksClient>>();
                    return [await EachOnce.AnswerAsync(request, number => isolated.EnqueueAsync(works => works.Nothing(number)))];
                case ("run", "inline"):
                    var works = services.GetRequiredService<IJobs<IWorksClient>>();
                    return await RateAsync(async () => await (await works.EnqueueAsync(static works => works.Nothing(41))).WaitAsync());
                case ("answer", "limited"):
                    return [new ControlLine("ok").With("answer", await (await services.GetRequiredService<IJobs<IWorksClient>>().EnqueueAsync(static works => works.Limited("tenant 0", 41))).ResultAsync())];
                case ("run", "limited"):
                    var limited = services.GetRequiredService<IJobs<IWorksClient>>();
                    return await RateAsync(async () => await (await limited.EnqueueAsync(static works => works.Limited(NextTenant(ClaimedKeys), 41), LimitedOptions())).WaitAsync());
                case ("run", "limited-pause"):
                    var pausing = services.GetRequiredService<IJobs<IWorksClient>>();
                    return await RateAsync(async () => await (await pausing.EnqueueAsync(works => works.LimitedPause(NextTenant(request.Int("inflight")), request.Int("pause")))).WaitAsync());
                case ("run", "isolated"):
                    var workers = services.GetRequiredService<IJobs<IWorkerWorksClient>>();
                    return await RateAsync(async () => await (await workers.EnqueueAsync(static works => works.Nothing(41))).WaitAsync());
                case ("run", "latency"):
                    return await LatencyAsync(static works => works.Stamp());
                case ("run", "limited-latency"):
                    return await LatencyAsync(static works => works.LimitedStamp(NextTenant(ClaimedKeys)), LimitedOptions());
                case ("run", "calls"):
                    return await CallAsync(services.GetRequiredService<IWorksClient>(), request.Int("count"));
                case ("fill", _):
                    await FillAsync(services.GetRequiredService<IJobs<IWorksClient>>(), request.Int("count"), request.Int("keys"));
                    return [Readings.Done()];
                case ("fill-unfairly", _) when fair is not null:
                    await fair.FillAsync(request);
                    return [Readings.Done()];
                case ("fair", _) when fair is not null:
                    return await fair.RunAsync(request);
                case ("submit", _) when chaos is not null:
                    await chaos.SubmitAsync(request);
                    return [Readings.Done()];
                case ("settle", _) when chaos is not null:
                    await chaos.SettleAsync(request);
                    return [Readings.Done()];
                case ("schedule", _) when schedule is not null:
                    await schedule(services, request.Int("count"));
                    return [Readings.Done()];
                case ("pressure", _):
                    return await PressureProgram.RunAsync(services.GetRequiredService<IJobs>(), services.GetRequiredService<IJobs<IWorksClient>>(), request);
                case ("running", _):
                    var all = services.GetRequiredService<IJobs>();
                    return [new ControlLine("ok").With("count", await CountAsync(all, JobState.Running)).With("failed", await CountAsync(all, JobState.Failed))];
                case ("stop", _):
                    return [new ControlLine("ok").With("ms", await application.StopAsync())];
                case ("lost", _):
                    return [new ControlLine("ok").With("at", await LostAsync(services.GetRequiredService<IJobs>(), request.Int("count")))];
                case ("accept", _):
                    return [new ControlLine("ok").With("ms", await AcceptAsync(services.GetRequiredService<IJobs<IWorksClient>>()))];
                case ("syncs", _):
                    return [new ControlLine("ok").With("ms", SyncProbe.Median(application.Directory, request.Int("count")))];
                case ("heap", _):
                    return [new ControlLine("ok").With("bytes", GC.GetTotalMemory(forceFullCollection: true))];
                case ("first", _):
                    return [new ControlLine("ok").With("ms", Clock.MillisecondsBetween(began, await Works.First))];
                case ("counters", _):
                    return [Counters.OfThisProcess().ToLine()];
                default:
                    throw new NotSupportedException($"The application does not know '{request}'.");
            }

            async Task<IEnumerable<ControlLine>> LatencyAsync(Func<IWorksClient, ValueTask<long>> call, JobOptions? options = null)
            {
                var stamps = services.GetRequiredService<IJobs<IWorksClient>>();
                return
                [
                    .. await JobRounds.LatencyAsync(request, application.Directory, async () =>
                    {
                        var job = await stamps.EnqueueAsync(call, options);
                        return (Clock.Now, await job.ResultAsync());
                    }),
                    Readings.Done(),
                ];
            }

            async Task<IEnumerable<ControlLine>> RateAsync(Func<Task> submitAndWait) =>
                [.. await JobRounds.ThroughputAsync(request, application.Directory, submitAndWait, () => commits.Commits), Readings.Done()];
        }
    }

    // How long it takes until a job is stored. It has ended when this returns.
    private static async Task<double> AcceptAsync(IJobs<IWorksClient> works)
    {
        var submitted = Clock.Now;
        var job = await works.EnqueueAsync(static works => works.Nothing(41));
        var accepted = Clock.Now;
        await job.WaitAsync();
        return Clock.MillisecondsBetween(submitted, accepted);
    }

    private static async Task<int> CountAsync(IJobs jobs, JobState state) => (await jobs.ListAsync(new JobQuery { State = state, Limit = Part })).Count;

    // The clock when so many jobs have failed: those that a killed process ran, and that must not be repeated.
    private static async Task<long> LostAsync(IJobs jobs, int count)
    {
        while (await CountAsync(jobs, JobState.Failed) < count)
            await Task.Delay(Look);
        return Clock.Now;
    }

    private static string NextTenant(int tenants) => $"tenant {Interlocked.Increment(ref _nextTenant) % tenants}";

    // With JobsApplication.Limit: what a version adds to submissions is switched on here.
    private static JobOptions LimitedOptions() => new() { Priority = JobPriority.High, ExpiresAfter = TimeSpan.FromHours(1) };

    // All of one key, or each of its own.
    private static async Task FillAsync(IJobs<IWorksClient> works, int count, int keys)
    {
        foreach (var part in Enumerable.Range(0, count).Chunk(Part))
            await works.EnqueueManyAsync(part.Select(job => $"tenant {job % keys}"), static (works, tenant) => works.Wait(tenant));
    }

    private static async Task<IEnumerable<ControlLine>> CallAsync(IWorksClient works, int count)
    {
        var (job, direct) = (await BytesAsync(static (works, number) => works.Nothing(number)), await BytesAsync(static (works, number) => works.Direct(number)));
        var loaded = AppDomain.CurrentDomain.GetAssemblies().Count(static assembly => assembly.GetName().Name is { } name && (name == "Weir.Jobs" || name.StartsWith("Weir.Jobs.", StringComparison.Ordinal)));
        return
        [
            Readings.Reading("bytes of a call with [Job]", job, "B"),
            Readings.Reading("bytes of a call without", direct, "B"),
            Readings.Reading("assemblies of jobs", loaded, ""),
            Readings.Done(),
        ];

        // What one call allocates: the least of several, as the runtime allocates beside it.
        async Task<double> BytesAsync(Func<IWorksClient, int, ValueTask<int>> call)
        {
            var least = double.MaxValue;
            for (var repeat = 0; repeat < 5; repeat++)
            {
                var before = GC.GetAllocatedBytesForCurrentThread();
                for (var number = 0; number < count; number++)
                {
                    if (await call(works, number) != number)
                        throw new InvalidDataException("The answer is wrong.");
                }

                least = Math.Min(least, (double)(GC.GetAllocatedBytesForCurrentThread() - before) / count);
            }

            return least;
        }
    }
}
