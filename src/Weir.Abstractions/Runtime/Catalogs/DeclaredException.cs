using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>An exception that an operation declared by <see cref="ThrowsAttribute"/>: how to recognise it, and how to re-create it.</summary>
/// <param name="TypeName">The full name of its type, as a worker sends it.</param>
/// <param name="Create">Makes one from its message. May be called concurrently.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record DeclaredException(string TypeName, Func<string, Exception> Create)
{
    /// <summary>The HTTP status of a call that ends with it; 0, the default, is that of any exception.</summary>
    public int Status { get; init; }
}
