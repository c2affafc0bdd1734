using Microsoft.Extensions.DependencyInjection;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;

namespace Weir.Lab.Jobs;

/// <summary>A backlog of one tenant or kind, and single jobs of another, in the host or in a pool that they share.</summary>
/// <param name="services">Of the application.</param>
/// <param name="folder">Where jobs write down that they begin.</param>
internal sealed class FairProgram(IServiceProvider services, string folder)
{
    private int _filled;

    /// <summary>Submits <c>count</c> jobs of one tenant, or of one kind.</summary>
    public async Task FillAsync(ControlLine request)
    {
        var (fill, _) = Ways(request);
        foreach (var part in Enumerable.Range(_filled, request.Int("count")).Chunk(JobsProgram.Part))
            await fill(part);
        _filled += request.Int("count");
    }

    public async Task<IEnumerable<ControlLine>> RunAsync(ControlLine request)
    {
        var (_, submit) = Ways(request);
        return
        [
            .. await FairRounds.RunAsync(request, folder, _filled, async number => (await submit((int)number)).WaitAsync()),
            Readings.Done(),
        ];
    }

    // How many are submitted at once, and one of the other.
    private (Func<int[], Task> Fill, Func<int, ValueTask<Job>> Submit) Ways(ControlLine request)
    {
        if (request.Is("where", "inline"))
        {
            var works = services.GetRequiredService<IJobs<IFairWorksClient>>();
            return request.Is("what", "tenants")
                ? (numbers => works.EnqueueManyAsync(numbers, static (works, number) => works.OfTenant(FairRounds.Backlog, number)).AsTask(), number => works.EnqueueAsync(works => works.OfTenant(FairRounds.Single, number)))
                : (numbers => works.EnqueueManyAsync(numbers, static (works, number) => works.OfMany(number)).AsTask(), number => works.EnqueueAsync(works => works.Single(number)));
        }

        var workers = services.GetRequiredService<IJobs<IFairWorkerWorksClient>>();
        return request.Is("what", "tenants")
            ? (numbers => workers.EnqueueManyAsync(numbers, static (works, number) => works.OfTenant(FairRounds.Backlog, number)).AsTask(), number => workers.EnqueueAsync(works => works.OfTenant(FairRounds.Single, number)))
            : (numbers => workers.EnqueueManyAsync(numbers, static (works, number) => works.OfMany(number)).AsTask(), number => workers.EnqueueAsync(works => works.Single(number)));
    }
}
