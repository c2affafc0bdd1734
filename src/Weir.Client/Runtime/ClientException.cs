using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>An exception that an operation declares by <see cref="ThrowsAttribute"/>. Written by the generator; immutable.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ClientException
{
    /// <summary>Describes an exception.</summary>
    /// <param name="typeName">The full name of its type.</param>
    /// <param name="create">Makes one from its message. May be called concurrently.</param>
    public ClientException(string typeName, Func<string, Exception> create)
    {
        TypeName = typeName;
        Create = create;
    }

    internal string TypeName { get; }

    internal Func<string, Exception> Create { get; }
}
