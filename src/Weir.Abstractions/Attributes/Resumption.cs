namespace Weir;

/// <summary>How a stream continues for a caller whose connection was cut: see <see cref="ResumableAttribute"/>.</summary>
public enum Resumption
{
    /// <summary>It does not.</summary>
    None = 0,

    /// <summary>The operation runs again, and its parameter <c>from</c> is the index of the next item.</summary>
    Source = 1,
}
