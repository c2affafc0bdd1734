namespace Weir.Execution.Processes;

/// <summary>What reads the answers of one worker, as those see it who poll for one.</summary>
internal interface IAnswerReader
{
    /// <summary>Reads what there is, if nobody else does. Any thread that holds no lock.</summary>
    /// <param name="resumer">Goes on with whoever awaits an answer; otherwise the thread pool does.</param>
    /// <returns>Whether it is worth to try again.</returns>
    bool TryReadAhead(IResumer? resumer);

    /// <summary>Nobody polls any more; the worker's own reader is to read. Any thread; never waits.</summary>
    void Wake();

    /// <summary>Others need the processor on which it was polled: for a while nobody polls. Any thread.</summary>
    /// <param name="penalty">How long, where it did not happen just before.</param>
    void Bar(TimeSpan penalty);
}
