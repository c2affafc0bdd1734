using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>Everything the application serves: its own catalog and those of the assemblies it references. Immutable.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class WeirCatalogs
{
    /// <summary>Combines catalogs.</summary>
    /// <param name="applicationAssembly">The simple name of the assembly whose <c>AddWeir</c> ran; workers load it.</param>
    /// <param name="catalogs">Its catalogs.</param>
    /// <exception cref="InvalidOperationException">Two services have one name (WEIR1006).</exception>
    public WeirCatalogs(string applicationAssembly, IReadOnlyList<ServiceCatalog> catalogs)
    {
        ApplicationAssembly = applicationAssembly;
        Catalogs = catalogs;
        Services = [.. catalogs.SelectMany(static catalog => catalog.Services)];
        var twice = Services.GroupBy(static service => service.Name, StringComparer.OrdinalIgnoreCase).FirstOrDefault(static group => group.Count() > 1);
        if (twice is not null)
        {
            throw new InvalidOperationException(
                $"Two services are named '{twice.Key}': {string.Join(" and ", twice.Select(static service => service.TypeName))}; rename one by [Service(\"name\")]. See {WeirCodes.DuplicateService}.");
        }
    }

    /// <summary>The simple name of the assembly whose <c>AddWeir</c> ran.</summary>
    public string ApplicationAssembly { get; }

    /// <summary>The catalogs, the application's own first.</summary>
    public IReadOnlyList<ServiceCatalog> Catalogs { get; }

    /// <summary>All services.</summary>
    public IReadOnlyList<Service> Services { get; }
}
