using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The bad neighbour in a worker, and the victim in the host.</summary>
internal static class WeirNeighbours
{
    public static IEnumerable<ControlLine> Run(WorkerPool pool, ControlLine request)
    {
        var tenant = pool.GetProxy<IBadTenantClient>();
        return Neighbourhood.Run(request, how =>
        {
            try
            {
                tenant.Behave(how).AsTask().GetAwaiter().GetResult();
            }
            catch (WeirException)
            {
                // His worker is gone: how his call ends is his own affair.
            }
        });
    }
}
