namespace Weir.Tests.Processes.Simulation;

/// <summary>What must hold for calls that make their workers fail, computed independently from which call each worker failed in.</summary>
internal sealed class QuarantineRules(World world, SimulatedPool pool)
{
    // By fingerprint, of which a run has few.
    private readonly Dictionary<ulong, (int Kills, int FromOutside, TimeSpan Last)> _suspects = [];

    /// <summary>A worker failed that had started all its calls up to this id: the unanswered ones are blamed, if the host did not kill it.</summary>
    public void Died(SimulatedWorker worker, ulong through, bool fromOutside = false)
    {
        for (var call = worker.Entry.Sent.First; call is not null && call.CallId <= through; call = call.Next)
        {
            if (worker.HasSkipped(call.CallId))
            {
                continue;
            }

            var (kills, outside, _) = Find((SimulatedCall)call);
            outside += fromOutside ? 1 : 0;

            // Kills from outside do not count until there are too many of them: then all of them count.
            kills += !fromOutside || outside > pool.Promised.ForgivenDeaths ? 1 : outside == pool.Promised.ForgivenDeaths ? outside : 0;
            _suspects[call.Fingerprint] = (kills, outside, world.Now);
        }
    }

    /// <summary>A worker survived the call: equal calls are cleared, except after a single kill from outside, which is not counted yet.</summary>
    public void Answered(SimulatedCall call)
    {
        if (Find(call) is { Kills: > 0 } or { FromOutside: > 1 })
        {
            _suspects.Remove(call.Fingerprint);
        }
    }

    public void Dispatched(SimulatedCall call) =>
        pool.Oracle.Holds(call.Attempts > 0 || !IsHeld(call), "a call that makes workers fail is rejected", $"{call}, {Find(call)}");

    public void TurnedAway(SimulatedCall call) => pool.Oracle.Holds(IsHeld(call), "a call that makes no worker fail is not rejected", $"{call}, {Find(call)}");

    private bool IsHeld(SimulatedCall call) => Find(call).Kills >= pool.Promised.QuarantineKills;

    // Expired worker failures do not count.
    private (int Kills, int FromOutside, TimeSpan Last) Find(SimulatedCall call) =>
        _suspects.TryGetValue(call.Fingerprint, out var suspect) && world.Now - suspect.Last < pool.Promised.QuarantineTime ? suspect : default;
}
