namespace Weir.Cli.Fetch;

/// <summary>Receives the outcomes: prints, counts and records them. Any thread.</summary>
/// <param name="time">The clock.</param>
/// <param name="lines">Where each outcome is printed; <c>null</c> for nowhere.</param>
/// <param name="journal">Where what is done is recorded.</param>
internal sealed class FetchReport(TimeProvider time, JsonLines? lines, Journal journal)
{
    private readonly Lock _gate = new();
    private readonly FetchCounters _counters = new(time);

    /// <summary>Called for each outcome without success.</summary>
    public Action<FetchOutcome>? Failed { get; init; }

    /// <summary>The first outcome without success.</summary>
    public FetchOutcome? FirstFailure { get; private set; }

    /// <summary>An earlier run has done a URL.</summary>
    public void Skip()
    {
        lock (_gate)
        {
            _counters.Skip();
        }
    }

    /// <summary>One more outcome.</summary>
    /// <exception cref="IOException">It cannot be printed or recorded.</exception>
    public void Add(FetchOutcome outcome)
    {
        lock (_gate)
        {
            // Printed before it is recorded: a line that was lost is fetched again.
            lines?.Write(outcome);
            _counters.Add(outcome);
            if (outcome.IsSuccess)
            {
                journal.Add(outcome.Index, outcome.Text);
            }
            else
            {
                FirstFailure ??= outcome;
                Failed?.Invoke(outcome);
            }
        }
    }

    /// <summary>Writes what waits.</summary>
    /// <exception cref="IOException">It cannot be written.</exception>
    public void Flush()
    {
        lock (_gate)
        {
            lines?.Flush();
            journal.Flush();
        }
    }

    /// <summary>The figures of this moment.</summary>
    public FetchFigures Read(long? all, long inFlight)
    {
        lock (_gate)
        {
            return _counters.Read(all, inFlight);
        }
    }

    /// <summary>The figures of the whole run.</summary>
    public FetchSummary Summarize()
    {
        lock (_gate)
        {
            return _counters.Summarize();
        }
    }
}
