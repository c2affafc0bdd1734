using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>Identifies the compiled catalogs of an application: host and worker compare it before a call is made.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
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
            builds[i] = catalogs[i].AssemblyName + ":" + Hex(catalogs[i].Identity);
        }

        // Most applications are one assembly: their workers do not load the types that sort and join.
        if (builds.Length == 1)
        {
            return builds[0];
        }

        Array.Sort(builds, StringComparer.Ordinal);
        return string.Join(';', builds);
    }

    // The same as format "N". The framework's is vector code, which no precompiled image holds: every worker would compile it before READY.
    private static string Hex(Guid identity)
    {
        Span<byte> bytes = stackalloc byte[16];
        identity.TryWriteBytes(bytes, bigEndian: true, out _);
        Span<char> digits = stackalloc char[32];
        for (var i = 0; i < bytes.Length; i++)
        {
            digits[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
            digits[(2 * i) + 1] = "0123456789abcdef"[bytes[i] & 15];
        }

        return new string(digits);
    }
}
