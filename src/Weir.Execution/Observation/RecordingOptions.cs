namespace Weir;

/// <summary>What an application records of its calls, pools and lane, for people who look at it. Copied when the application starts.</summary>
public sealed class RecordingOptions
{
    /// <summary>
    /// Whether it records: by operation counts, failures, latencies and the time of each phase, the slowest and the last failed calls, the calls that run, and an hour of history
    /// of pools, lane and operations. Never arguments, results or texts of exceptions. Default <c>false</c>: then a call costs one comparison. Crash reports and events of workers are kept in any case.
    /// </summary>
    public bool Enabled { get; set; }

    /// <summary>
    /// The most memory for history, in bytes: single seconds of two minutes, and an hour in steps of ten seconds. Default 3 MB, which holds some 60 pools and 100 operations; 0 to 1 GB.
    /// At the limit what was inactive for the longest time gives up its seconds, then its hour; what finds no memory has no history.
    /// </summary>
    public int HistoryBytes { get; set; } = 3 << 20;

    /// <exception cref="InvalidOperationException">An option is out of its range (WEIR3002).</exception>
    internal void Validate()
    {
        if (HistoryBytes is < 0 or > 1 << 30)
        {
            throw new InvalidOperationException($"Recording.HistoryBytes is {HistoryBytes}; set it to 0 to 1 GB. See {WeirCodes.InvalidOptions}.");
        }
    }
}
