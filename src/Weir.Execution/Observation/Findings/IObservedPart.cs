namespace Weir.Execution.Observation.Findings;

/// <summary>
/// A part of an application that the core does not know: it adds findings, a member of the record and lines of the text. It exists only where recording is on. Its methods are called by one flow at a time, wait for nothing and
/// do not throw: they say what the process knows already.
/// </summary>
internal interface IObservedPart
{
    /// <summary>What is wrong in it now. Called after each tick of the recorder, and when a person looks.</summary>
    IEnumerable<Finding> Find();

    /// <summary>What is seen of it now. Called when a person looks.</summary>
    /// <param name="order">By what its rows are ordered.</param>
    IPartReading Read(RowOrder order);
}
