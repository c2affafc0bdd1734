namespace Weir;

/// <summary>The lane: Weir's own threads for operations that block. Copied when the application starts.</summary>
public sealed class LaneOptions
{
    // The longest time that a thread can wait: a signed 32-bit number of milliseconds.
    private static readonly TimeSpan LongestWait = TimeSpan.FromDays(24);

    /// <summary>
    /// How many threads are started in advance and kept. Default 64; 0 to <see cref="MaxThreads"/>. They start with the
    /// application if an operation needs the lane, and cost nothing while parked.
    /// </summary>
    public int MinThreads { get; set; } = 64;

    /// <summary>
    /// The most threads. Default 1,024; 1 or more. Where the machine's <c>pids.max</c> is known, half of it is the limit
    /// if that is less. At the limit calls wait in the queue.
    /// </summary>
    public int MaxThreads { get; set; } = 1024;

    /// <summary>
    /// How many calls may wait for a thread. Default 10,000; with 0 no call may wait. When the queue is full, calls from code still
    /// wait, and calls over HTTP are rejected with 503.
    /// </summary>
    public int QueueLimit { get; set; } = 10_000;

    /// <summary>How long a thread above <see cref="MinThreads"/> is kept without work. Default 20 s; more than zero, at most 24 days.</summary>
    public TimeSpan KeepAlive { get; set; } = TimeSpan.FromSeconds(20);

    /// <exception cref="InvalidOperationException">The options contradict each other (WEIR3002).</exception>
    internal void Validate()
    {
        Require(MaxThreads >= 1, nameof(MaxThreads), $"{MaxThreads}", "set it to 1 or more");
        Require(MinThreads >= 0 && MinThreads <= MaxThreads, nameof(MinThreads), $"{MinThreads}", $"set it to 0 to MaxThreads ({MaxThreads})");
        Require(QueueLimit >= 0, nameof(QueueLimit), $"{QueueLimit}", "set it to 0 or more");
        Require(KeepAlive > TimeSpan.Zero && KeepAlive <= LongestWait, nameof(KeepAlive), $"{KeepAlive}", "set it to more than zero and at most 24 days");
    }

    private static void Require(bool holds, string option, string value, string step)
    {
        if (!holds)
        {
            throw new InvalidOperationException($"Lane.{option} is {value}; {step}. See {WeirCodes.InvalidOptions}.");
        }
    }
}
