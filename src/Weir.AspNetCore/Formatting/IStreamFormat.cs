using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>
/// The framing of a stream: what is between items, the sign that it is alive, and its end. An item's JSON is
/// written between <see cref="BeginItem"/> and <see cref="EndItem"/>.
/// </summary>
internal interface IStreamFormat : IFormat
{
    /// <summary>
    /// Whether an item that is an object with a member <c>$weir</c> is wrapped (<see cref="ReservedMember"/>), because the format marks the end
    /// of the stream by such an object.
    /// </summary>
    bool ReservesMember => false;

    /// <summary>Whether a reader knows how many items it received, and can be asked to connect again (<see cref="WriteRetry"/>).</summary>
    bool IsResumable => false;

    /// <summary>Writes what is before an item.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="index">The item's position in the stream.</param>
    /// <param name="isFirst">Whether it is the first item of this response, which may continue a stream.</param>
    void BeginItem(PayloadWriter output, long index, bool isFirst);

    /// <summary>Writes what is after an item.</summary>
    void EndItem(PayloadWriter output);

    /// <summary>Whether the format can express that the stream is alive.</summary>
    bool HasHeartbeat => true;

    /// <summary>Writes something that a reader ignores.</summary>
    void WriteHeartbeat(PayloadWriter output);

    /// <summary>Writes the end of a stream that is complete.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="count">The items of the whole stream: one more than the last index.</param>
    /// <param name="isEmpty">Whether this response has no item.</param>
    void WriteEnd(PayloadWriter output, long count, bool isEmpty);

    /// <summary>Writes that the reader should connect again to continue the stream. Only where <see cref="IsResumable"/>.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="wait">How long the reader should wait before.</param>
    /// <param name="index">The index of the item with which the stream continues.</param>
    void WriteRetry(PayloadWriter output, TimeSpan wait, long index) => throw new NotSupportedException("The format cannot express that the reader should connect again.");

    /// <summary>
    /// Writes the end of a stream that failed at an item; <c>false</c> where the format cannot express that and only aborting the
    /// connection can.
    /// </summary>
    bool TryWriteFailure(PayloadWriter output, in ProblemReport problem, long index);
}
