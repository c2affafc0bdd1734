using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Replicas;

/// <summary>
/// Attempts that run in this process by the database, and do not: their outcomes were committed, and lost with a failover to a standby that lacked them. One that is found so for a whole lease is presumed lost; what a commit has just
/// claimed begins to run long before. One flow.
/// </summary>
/// <param name="lease">How long.</param>
/// <param name="time">Measures it.</param>
internal sealed class OrphanedAttempts(TimeSpan lease, TimeProvider time)
{
    // Since when. Those of the last look: as many as it has.
    private Dictionary<AttemptId, long> _since = [];

    /// <summary>Compares what the database says with what runs.</summary>
    /// <returns>Those that are presumed lost.</returns>
    public List<LostAttempt> Find(IReadOnlyList<LostAttempt> own, Func<AttemptId, bool> runs)
    {
        var (lost, since) = (new List<LostAttempt>(), new Dictionary<AttemptId, long>());
        foreach (var attempt in own)
        {
            var id = new AttemptId(attempt.Id, attempt.Fence);
            if (!runs(id))
            {
                var began = since[id] = _since.TryGetValue(id, out var known) ? known : time.GetTimestamp();
                if (time.GetElapsedTime(began) >= lease)
                {
                    lost.Add(attempt);
                }
            }
        }

        _since = since;
        return lost;
    }
}
