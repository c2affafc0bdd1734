namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>
/// Low-water marks of one kind. A snapshot that someone holds keeps the index entries of all jobs that were claimed since; marks are what passes over them. A mark is used when it is half a second old and all transactions that were
/// open when it was made have ended, at the latest after 10 s. Once a minute a claim passes over nothing, so that a job which they hide, because its transaction was open for longer, is found.
/// </summary>
internal sealed class KindMarks(TimeProvider clock)
{
    private static readonly TimeSpan Least = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan Most = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Reviewed = TimeSpan.FromMinutes(1);

    // Most jobs are of normal priority.
    private LevelMarks[] _levels = [new(), new() { HasJobs = true }, new()];
    private long[] _foreign = [];
    private long _since = clock.GetTimestamp();
    private long? _waits;
    private long _waitsFor;

    public LevelMarks Level(JobPriority priority) => _levels[(int)priority + 1];

    /// <summary>A commit begins.</summary>
    /// <param name="foreign">The signatures of jobs that are passed over: marks pass over them, too.</param>
    public void Begin(long[] foreign)
    {
        if (!foreign.AsSpan().SequenceEqual(_foreign))
        {
            Forget();
            _foreign = foreign;
        }
        else if (clock.GetElapsedTime(_since) >= Reviewed)
        {
            Review();
        }
    }

    /// <summary>What is seen from here on is seen after this.</summary>
    /// <param name="oldest">The oldest transaction that is open.</param>
    /// <param name="next">The next one that begins.</param>
    public void Advance(long oldest, long next)
    {
        if (_waits is { } waits && (oldest >= _waitsFor ? Least : Most) <= clock.GetElapsedTime(waits))
        {
            _waits = null;
            foreach (var level in _levels)
            {
                level.Use();
            }
        }

        if (_waits is null)
        {
            (_waits, _waitsFor) = (clock.GetTimestamp(), next);
            foreach (var level in _levels)
            {
                level.Wait();
            }
        }
    }

    /// <summary>All begins at 0 again.</summary>
    public void Forget()
    {
        var hasJobs = _levels.Select(static level => level.HasJobs).ToArray();
        _levels = [new() { HasJobs = hasJobs[0] }, new() { HasJobs = hasJobs[1] }, new() { HasJobs = hasJobs[2] }];
        (_since, _waits) = (clock.GetTimestamp(), null);
    }

    // To read every entry takes 0.1 s where a snapshot was held for ten minutes: one claim does, not all of the second that new marks need.
    private void Review()
    {
        foreach (var level in _levels)
        {
            level.Review();
        }

        (_since, _waits) = (clock.GetTimestamp(), null);
    }
}
