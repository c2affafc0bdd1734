using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>
/// The framing of a stream: what is between items, the sign that it is alive, and its end. An item's JSON is
/// written between <see cref="BeginItem"/> and <see cref="EndItem"/>.
/// </summary>
internal interface IStreamFormat : IFormat
{
    /// <summary>Writes what is before an item.</summary>
    void BeginItem(PayloadWriter output, long index);

    /// <summary>Writes what is after an item.</summary>
    void EndItem(PayloadWriter output);

    /// <summary>Whether the format can express that the stream is alive.</summary>
    bool HasHeartbeat => true;

    /// <summary>Writes something that a reader ignores.</summary>
    void WriteHeartbeat(PayloadWriter output);

    /// <summary>Writes the end of a stream that is complete.</summary>
    void WriteEnd(PayloadWriter output, long count);

    /// <summary>
    /// Writes the end of a stream that failed at an item; <c>false</c> where the format cannot express that and only aborting the
    /// connection can.
    /// </summary>
    bool TryWriteFailure(PayloadWriter output, in ProblemReport problem, long index);
}
