namespace Weir;

/// <summary>Identifies the compiled catalogs of an application: host and worker compare it before a call is made.</summary>
public static class CatalogIdentity
{
    /// <summary>The identity of an application's catalogs: <c>Assembly:build;…</c>, in ordinal order.</summary>
    /// <param name="catalogs">All catalogs of the application.</param>
    public static string Of(IReadOnlyList<ServiceCatalog> catalogs)
    {
        ArgumentNullException.ThrowIfNull(catalogs);
        var builds = new string[catalogs.Count];
        for (var i = 0; i < builds.Length; i++)
        {
            builds[i] = $"{catalogs[i].AssemblyName}:{catalogs[i].Identity:N}";
        }

        Array.Sort(builds, StringComparer.Ordinal);
        return string.Join(';', builds);
    }
}
