namespace Weir;

/// <summary>How a stream continues for a caller whose connection was cut: see <see cref="ResumableAttribute"/>.</summary>
public enum Resumption
{
    /// <summary>It does not.</summary>
    None = 0,

    /// <summary>The operation runs again, and its parameter <c>from</c> is the index of the next item.</summary>
    Source = 1,

    /// <summary>The operation runs once, in the process that received the first request, which keeps its items for a limited time.</summary>
    Buffer = 2,
}
