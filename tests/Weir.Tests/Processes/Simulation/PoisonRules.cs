namespace Weir.Tests.Processes.Simulation;

/// <summary>What must hold of calls that kill their workers, reckoned anew from who died of what.</summary>
internal sealed class PoisonRules(World world, SimulatedPool pool)
{
    // By fingerprint, of which a run has few.
    private readonly Dictionary<ulong, (int Kills, TimeSpan Last)> _suspects = [];

    /// <summary>A worker is gone that had started all its calls up to this id: those of them that it had not answered are to blame, if it was not the host who ended it.</summary>
    public void Died(SimulatedWorker worker, ulong through)
    {
        for (var call = worker.Entry.Sent.First; call is not null && call.CallId <= through; call = call.Next)
        {
            _suspects[call.Fingerprint] = (_suspects.GetValueOrDefault(call.Fingerprint).Kills + 1, world.Now);
        }
    }

    /// <summary>A worker has survived the call.</summary>
    public void Answered(SimulatedCall call) => _suspects.Remove(call.Fingerprint);

    public void Dispatched(SimulatedCall call) =>
        pool.Oracle.Holds(call.Attempts > 0 || !IsHeld(call), "what kills workers is turned away", $"{call}, {_suspects.GetValueOrDefault(call.Fingerprint)}");

    public void TurnedAway(SimulatedCall call) =>
        pool.Oracle.Holds(IsHeld(call), "what kills nobody is not turned away", $"{call}, {_suspects.GetValueOrDefault(call.Fingerprint)}");

    // After its time one more death is enough for the next.
    private bool IsHeld(SimulatedCall call) =>
        _suspects.TryGetValue(call.Fingerprint, out var suspect) && suspect.Kills >= pool.Promised.PoisonKills && world.Now - suspect.Last < pool.Promised.PoisonTime;
}
