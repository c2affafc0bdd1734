using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>One kind in the claims of one commit: what was fetched of it, and what is to be fetched next.</summary>
internal sealed class KindState
{
    private const int MostKeys = 64;

    /// <summary>With each trip behind the second one more is asked for than is needed: jobs that other processes have locked at the moment are passed over.</summary>
    private const int MoreEachTrip = 4;

    private static readonly JobPriority[] Priorities = [JobPriority.Low, JobPriority.Normal, JobPriority.High];
    private static readonly IReadOnlyDictionary<string, int> Nothing = new Dictionary<string, int>(StringComparer.Ordinal);

    private readonly string _stored;
    private readonly KindMarks _marks;
    private readonly long[] _foreign;
    private readonly RunningCounts? _running;
    private int _trips;

    public KindState(KindClaim first, KindMarks marks, long[] foreign, RunningCounts? running)
    {
        (_stored, _marks, _foreign, _running) = (StoredText.Write(first.Kind), marks, foreign, running);
        Rows = new ReadyRows([.. Priorities.Select(priority => new ReadyLevel(StoredText.Write(first.Turn.After(priority)), marks.Level(priority).Low))], running);
    }

    public ReadyRows Rows { get; }

    /// <summary>Whether jobs were locked and not claimed: other processes may have passed over them.</summary>
    public bool HasLeft => Priorities.Any(priority => Rows.Level(priority).Left > 0);

    /// <summary>Whether no job is left for certain.</summary>
    public bool IsOver => Priorities.All(priority => Rows.Level(priority).IsOver);

    /// <summary>What has to be fetched so that so many jobs can be started.</summary>
    /// <param name="claim">Whose turns count.</param>
    /// <param name="slots">How many jobs.</param>
    /// <param name="requests">It is added.</param>
    public void Plan(KindClaim claim, int slots, List<LevelRequest> requests)
    {
        if (claim.Limits?.MaxTotal is { } total)
        {
            slots = Math.Min(slots, total - _running!.Total);
        }

        if (slots <= 0 || Rows.IsKnown(claim, out _))
        {
            return;
        }

        var shares = Shares(claim.Turn.Number, slots);
        foreach (var priority in Priorities)
        {
            var level = Rows.Level(priority);
            var answer = Rows.Look(priority, claim.Turn.After(priority), out var key);
            if (answer is ReadyLevel.Answer.Deeper or ReadyLevel.Answer.Further)
            {
                // One of a priority that had none, to know whether it has.
                var need = Math.Max(1, shares[(int)priority + 1] - level.Left) + (Math.Max(0, _trips - 1) * MoreEachTrip);
                requests.Add(Request(level, priority, need, claim.Limits, answer == ReadyLevel.Answer.Deeper ? key : null));
            }
        }

        _trips++;
    }

    /// <summary>What is left, to be asked for: where it may begin, for each priority.</summary>
    public IEnumerable<(string Kind, short Priority, string Key, long Ready, long Low, long[] Foreign)> Probes() =>
        from priority in Priorities
        let level = Rows.Level(priority)
        where !level.IsOver
        let key = level.Keys.FirstOrDefault(static key => key.MayHaveMore)
        select (_stored, (short)priority, key?.Stored ?? level.From, key?.Last ?? -1, level.Low, _foreign);

    /// <summary>The commit was applied: what it has seen is worth remembering.</summary>
    /// <param name="given">All places up to this one were given to jobs by commits that had begun before.</param>
    public void Remember(long given)
    {
        foreach (var priority in Priorities)
        {
            var (level, marks) = (Rows.Level(priority), _marks.Level(priority));
            if (!level.IsAsked)
            {
                continue;
            }

            var lowest = given;
            foreach (var key in level.Keys)
            {
                var place = key.Left > 0 ? key.FirstLeft - 1 : key.MayHaveMore ? key.Last : Math.Max(key.Last, given);
                lowest = Math.Min(lowest, place);
                marks.See(key.Stored, place, key.Taken);
            }

            marks.HasJobs = level.Keys.Any(static key => key.Taken > 0 || key.Left > 0 || key.MayHaveMore);
            if (level.IsComplete)
            {
                marks.See(lowest);
            }
        }
    }

    private int[] Shares(int turn, int slots)
    {
        Span<bool> mayHave = stackalloc bool[3];
        foreach (var priority in Priorities)
        {
            var level = Rows.Level(priority);
            mayHave[(int)priority + 1] = level.IsAsked ? !level.IsOver : _marks.Level(priority).HasJobs;
        }

        var shares = new int[3];
        for (; slots > 0 && PriorityTurns.Next(turn, mayHave) is (var priority, var next); slots--)
        {
            shares[(int)priority + 1]++;
            turn = next;
        }

        return shares;
    }

    private LevelRequest Request(ReadyLevel level, JobPriority priority, int need, KindLimits? limits, KeyRows? deeper)
    {
        var busy = limits?.MaxPerKey is null ? Nothing : _running!.ByKey;
        var keys = deeper is null ? null : level.Keys.Where(static key => key is { Left: 0, MayHaveMore: true }).OrderBy(key => key == deeper ? 0 : 1).Take(MostKeys).ToList();
        var most = keys?.Count ?? (_trips == 0 ? Math.Min(MostKeys, need + busy.Count) : MostKeys);
        var (ahead, behind) = keys is null
            ? _marks.Level(priority).Next(level.From, level.Start, level.IsWrapped, most)
            : ([], [.. keys.Select(static key => (key.Stored, key.Last))]);
        return new LevelRequest(level)
        {
            Kind = _stored,
            Priority = (short)priority,
            Need = need,
            Room = limits?.MaxPerKey ?? int.MaxValue,
            Busy = busy,
            Foreign = _foreign,
            Keys = keys,
            Ahead = ahead,
            Behind = behind,
            Most = most,
        };
    }
}
