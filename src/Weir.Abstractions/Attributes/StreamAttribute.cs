namespace Weir;

/// <summary>
/// Streams what the method yields. Required on <see cref="IEnumerable{T}"/>, whose producer blocks and therefore runs
/// on the lane; optional on <see cref="IAsyncEnumerable{T}"/>, where it chooses the flush policy.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class StreamAttribute : Attribute
{
    /// <summary>When written items are sent to the caller. Default <see cref="FlushPolicy.Adaptive"/>.</summary>
    public FlushPolicy Flush { get; set; }
}
