using Weir.Execution;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The bad neighbour in a worker, and the victim in the host.</summary>
internal static class WeirNeighbours
{
    public static async Task<IEnumerable<ControlLine>> RunAsync(WorkerPool pool, ControlLine request)
    {
        var duration = TimeSpan.FromSeconds(request.Number("seconds"));
        var tenant = pool.GetProxy<IBadTenantClient>();
        Victim.Work(duration);
        var alone = Victim.Work(duration);

        // While he eats and crashes, the victim works; how his call ends is his own affair.
        var behaving = Task.Run(async () =>
        {
            try
            {
                await tenant.Behave(request["how"]);
            }
            catch (WeirException)
            {
                // His worker is gone.
            }
        });
        if (request["how"] is "cpu" or "statics")
            await behaving;
        var beside = await Task.Run(() => Victim.Work(duration));
        await behaving;
        return Neighbourhood.Felt(alone, beside, BadNeighbour.InitCount);
    }
}
