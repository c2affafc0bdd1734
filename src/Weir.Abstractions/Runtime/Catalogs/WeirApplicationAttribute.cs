namespace Weir.Runtime;

/// <summary>
/// Written by the generator: a worker, which cannot be compiled against the application it serves, gets the application's catalogs
/// from the one attribute of this kind on the application's assembly. By an attribute and not by the name of a type: to look one up by
/// its name takes a starting process longer than all else on its way to READY.
/// </summary>
public abstract class WeirApplicationAttribute : Attribute
{
    /// <summary>The catalogs of the application and of everything it references.</summary>
    public abstract IReadOnlyList<ServiceCatalog> Catalogs { get; }
}
