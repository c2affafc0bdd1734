namespace Weir.Tests.Processes.Simulation;

/// <summary>What must hold of calls that kill their workers, reckoned anew from who died of what.</summary>
internal sealed class PoisonRules(World world, SimulatedPool pool)
{
    // By fingerprint, of which a run has few.
    private readonly Dictionary<ulong, (int Kills, int FromOutside, TimeSpan Last)> _suspects = [];

    /// <summary>A worker is gone that had started all its calls up to this id: those of them that it had not answered are to blame, if it was not the host who ended it.</summary>
    public void Died(SimulatedWorker worker, ulong through, bool fromOutside = false)
    {
        for (var call = worker.Entry.Sent.First; call is not null && call.CallId <= through; call = call.Next)
        {
            var (kills, outside, _) = Find((SimulatedCall)call);
            outside += fromOutside ? 1 : 0;

            // What anybody may have done counts for nothing, until it is too often for that: then all of it counts.
            kills += !fromOutside || outside > pool.Promised.ForgivenDeaths ? 1 : outside == pool.Promised.ForgivenDeaths ? outside : 0;
            _suspects[call.Fingerprint] = (kills, outside, world.Now);
        }
    }

    /// <summary>A worker has survived the call: its like is forgiven, if anybody looks, which one death from outside is no reason for.</summary>
    public void Answered(SimulatedCall call)
    {
        if (Find(call) is { Kills: > 0 } or { FromOutside: > 1 })
        {
            _suspects.Remove(call.Fingerprint);
        }
    }

    public void Dispatched(SimulatedCall call) =>
        pool.Oracle.Holds(call.Attempts > 0 || !IsHeld(call), "what kills workers is turned away", $"{call}, {Find(call)}");

    public void TurnedAway(SimulatedCall call) => pool.Oracle.Holds(IsHeld(call), "what kills nobody is not turned away", $"{call}, {Find(call)}");

    private bool IsHeld(SimulatedCall call) => Find(call).Kills >= pool.Promised.QuarantineKills;

    // After its time nothing of it counts.
    private (int Kills, int FromOutside, TimeSpan Last) Find(SimulatedCall call) =>
        _suspects.TryGetValue(call.Fingerprint, out var suspect) && world.Now - suspect.Last < pool.Promised.QuarantineTime ? suspect : default;
}
