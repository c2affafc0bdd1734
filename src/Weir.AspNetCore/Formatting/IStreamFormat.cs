using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>
/// The framing of a stream: what stands between items, what says that it is alive, and how it ends. An item's JSON is
/// written between <see cref="BeginItem"/> and <see cref="EndItem"/>.
/// </summary>
internal interface IStreamFormat : IFormat
{
    /// <summary>What stands before an item.</summary>
    void BeginItem(PayloadWriter output, long index);

    /// <summary>What stands after an item.</summary>
    void EndItem(PayloadWriter output);

    /// <summary>What a reader passes over.</summary>
    void WriteHeartbeat(PayloadWriter output);

    /// <summary>The ending of a stream whose items are all there.</summary>
    void WriteEnd(PayloadWriter output, long count);

    /// <summary>
    /// The ending of a stream that failed at an item; <c>false</c> where the format cannot say so and only breaking the
    /// connection can.
    /// </summary>
    bool TryWriteFailure(PayloadWriter output, in ProblemReport problem, long index);
}
