using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>The jobs of one kind that one commit may claim, as far as they were fetched: it says beforehand what has to be fetched for the next one.</summary>
internal sealed class ReadyRows : ReadyKind
{
    // What stands for a job until its row is there.
    private static readonly ClaimedJob Later = new(null!, default);

    private readonly ReadyLevel[] _levels;
    private readonly Func<string, bool> _hasRoom;
    private RunningCounts? _running;
    private KindLimits? _limits;
    private KeyRows? _at;

    /// <param name="levels">Of low, normal and high priority.</param>
    /// <param name="running">What runs of it; <c>null</c> where there is no limit.</param>
    public ReadyRows(ReadyLevel[] levels, RunningCounts? running)
    {
        (_levels, _running) = (levels, running);
        _hasRoom = key => _limits is not { } limits || Running.HasRoom(limits, key);
    }

    /// <summary>The job that was started last.</summary>
    public Guid Started { get; private set; }

    // Limits of which neither is set need no counts.
    protected override RunningCounts Running => _running ??= new RunningCounts();

    public ReadyLevel Level(JobPriority priority) => _levels[(int)priority + 1];

    /// <summary>Whether it is known which job is next, or that there is none.</summary>
    /// <param name="claim">Whose turns count.</param>
    /// <param name="lacks">The priority of which more has to be fetched first.</param>
    public bool IsKnown(KindClaim claim, out JobPriority lacks)
    {
        lacks = default;
        _limits = claim.Limits;
        if (_limits is { } limits && !Running.HasRoom(limits))
        {
            return true;
        }

        Span<bool> mayHave = [true, true, true];
        while (PriorityTurns.Next(claim.Turn.Number, mayHave) is (var priority, _))
        {
            var answer = Look(priority, claim.Turn.After(priority), out _);
            if (answer != ReadyLevel.Answer.None)
            {
                lacks = priority;
                return answer == ReadyLevel.Answer.Found;
            }

            mayHave[(int)priority + 1] = false;
        }

        return true;
    }

    /// <summary>The next key of a priority that has a job and room for it, round by round as <see cref="ReadyKind"/> looks for it.</summary>
    public ReadyLevel.Answer Look(JobPriority priority, string? after, out KeyRows? found)
    {
        for (var (key, hasBegunAgain) = (after, after is null); ;)
        {
            var answer = Level(priority).Next(key, _hasRoom, out found);
            if (answer == ReadyLevel.Answer.Found && !_hasRoom(found!.Name))
            {
                key = found.Name;
            }
            else if (answer == ReadyLevel.Answer.None && !hasBegunAgain)
            {
                (key, hasBegunAgain) = (null, true);
            }
            else
            {
                return answer;
            }
        }
    }

    protected override string? Move(JobPriority priority, string? afterKey)
    {
        Level(priority).Next(afterKey, _hasRoom, out _at);
        return _at?.Name;
    }

    protected override ClaimedJob Start()
    {
        Started = _at!.Take();
        _running?.Add(_at.Name);
        return Later;
    }
}
