using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// Written by the generator: names the public catalog of an assembly's services, so that an application finds the
/// catalogs of everything it references at compile time.
/// </summary>
/// <param name="catalog">A type derived from <c>ServiceCatalog</c> with a static <c>Instance</c>.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
[AttributeUsage(AttributeTargets.Assembly)]
public sealed class WeirCatalogAttribute(Type catalog) : Attribute
{
    /// <summary>The catalog type.</summary>
    public Type Catalog { get; } = catalog;

    /// <summary>Whether operations of the assembly run in worker processes. Default <c>false</c>.</summary>
    public bool HasIsolatedOperations { get; set; }

    /// <summary>
    /// The services, so that an application finds two of one name when it is built: of each its name, its class and the interface that it serves, with <c>|</c>
    /// between them. Default empty.
    /// </summary>
    public string[] Services { get; set; } = [];
}
