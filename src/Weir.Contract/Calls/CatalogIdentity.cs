namespace Weir;

/// <summary>Identifies the compiled catalogs of an application: host and worker compare it before a call is made.</summary>
public static class CatalogIdentity
{
    /// <summary>The identity of an application's catalogs: <c>Assembly:build;…</c>, in ordinal order.</summary>
    /// <param name="catalogs">All catalogs of the application.</param>
    public static string Of(IReadOnlyList<ServiceCatalog> catalogs) =>
        string.Join(';', catalogs.Select(c => $"{c.AssemblyName}:{c.Identity:N}").Order(StringComparer.Ordinal));
}
