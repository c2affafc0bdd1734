using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// Written by the generator: a worker, which cannot be compiled against the application it serves, gets the application's catalogs
/// from the one attribute of this kind on the application's assembly. An attribute and not the name of a type: to look a type up by
/// name takes longer than everything else that a starting process does before READY.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class WeirApplicationAttribute : Attribute
{
    /// <summary>The catalogs of the application and of everything it references.</summary>
    public abstract IReadOnlyList<ServiceCatalog> Catalogs { get; }
}
