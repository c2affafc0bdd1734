namespace Weir.Execution.Processes;

/// <summary>The reader of one worker, as a burst of its callers sees it.</summary>
internal interface IBurstReader : IAnswerReader
{
    /// <summary>Whether a burst reads its answers, or will.</summary>
    bool IsHandedOver { get; }

    /// <summary>Whether there is an answer to wait for.</summary>
    bool HasCalls { get; }

    /// <summary>The burst reads no more: the worker's own reader is to read. Any thread; never waits.</summary>
    /// <param name="rounds">How often many callers went on together.</param>
    void BurstEnded(int rounds);
}
