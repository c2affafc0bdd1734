using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Writing;

/// <summary>
/// What runs of kinds with limits: counted from the rows when a limit asks first, followed while rows change, and forgotten when a transaction is rolled back. The writer only, which is the only one that
/// changes rows.
/// </summary>
internal sealed class RunningJobs(Connection connection)
{
    private readonly Statement _running = connection.Prepare("SELECT seq, key FROM job INDEXED BY job_state WHERE kind = ?1 AND state = 3");

    // As many as there are kinds with limits, and as jobs of them run.
    private readonly Dictionary<int, RunningCounts> _counts = [];
    private readonly Dictionary<long, string> _keys = [];

    /// <summary>What runs of a kind.</summary>
    public RunningCounts Of(int kind)
    {
        if (!_counts.TryGetValue(kind, out var counts))
        {
            counts = new RunningCounts();
            _counts.Add(kind, counts);
            using (_running.Bind(1, kind).Use())
            {
                while (_running.Step())
                {
                    Started(kind, _running.Long(0), _running.Text(1)!);
                }
            }
        }

        return counts;
    }

    /// <summary>The job of a row began to run.</summary>
    public void Started(int kind, long seq, string key)
    {
        if (_counts.TryGetValue(kind, out var counts))
        {
            counts.Add(key);
            _keys.Add(seq, key);
        }
    }

    /// <summary>The job of a row runs no more.</summary>
    public void Ended(int kind, long seq)
    {
        if (_counts.TryGetValue(kind, out var counts) && _keys.Remove(seq, out var key))
        {
            counts.Remove(key);
        }
    }

    /// <summary>The transaction was rolled back.</summary>
    public void RollBack()
    {
        _counts.Clear();
        _keys.Clear();
    }
}
