using System.Text;
using Microsoft.Extensions.Configuration;
using Weir.Execution.Processes;
using Weir.Runtime;

namespace Weir.Execution.Pools.Options;

/// <summary>The configuration of a worker: what it inherits of the host's, and the pool's own entries, which override it.</summary>
internal static class WorkerConfiguration
{
    /// <summary>The most that HELLO carries, in bytes; each entry counts as its key, its value and 8.</summary>
    public const int MostBytes = 1_000_000;

    // How Weir runs in the host, with the entries that other pools have for themselves.
    private const string OwnSection = "Weir";

    /// <summary>Whether workers of a pool run a [WorkerServices] method, which is what a configuration is inherited for.</summary>
    /// <param name="catalogs">The catalogs that the workers load.</param>
    /// <param name="pool">The pool's name.</param>
    /// <param name="operations">Its operations.</param>
    public static bool IsUsed(IReadOnlyList<ServiceCatalog> catalogs, string pool, IReadOnlyCollection<Operation> operations) =>
        catalogs.Any(catalog => catalog.WorkerServicesForm != WorkerServicesForm.None && catalog.ServicesOf(pool).Any(service =>
            service.Operations.Any(operation => (service.NeedsServices || operation.UsesContext) && operations.Contains(operation))));

    /// <summary>The configuration as it is now.</summary>
    /// <param name="host">The host's; <c>null</c> inherits nothing.</param>
    /// <param name="options">What of it is inherited, and the pool's own entries.</param>
    /// <exception cref="LaunchException">It is too large for HELLO.</exception>
    public static IReadOnlyList<KeyValuePair<string, string>> From(IConfiguration? host, PoolOptions options)
    {
        if (host is null)
        {
            return Entries(options.Configuration);
        }

        // A section that is passed as the host's configuration is the root of the worker's.
        var root = host is IConfigurationSection section ? section.Path.Length + 1 : 0;
        var entries = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (var (key, value) in Inherited(host, options.InheritedConfiguration))
        {
            // Without a value it is a section.
            if (value is not null)
            {
                entries[key[root..]] = value;
            }
        }

        foreach (var (key, value) in options.Configuration)
        {
            entries[key] = value;
        }

        var size = SizeOf(entries);
        return size <= MostBytes
            ? Entries(entries)
            : throw new LaunchException(
                WeirCodes.ConfigurationTooLarge,
                $"The configuration that its workers inherit is {size} bytes with the pool's own entries, and at most {MostBytes} can be sent to a worker: "
                + "set InheritedConfiguration to the sections that its services read, as in [\"ConnectionStrings\", \"Reports\"], or to an empty list for none.");
    }

    /// <summary>The size of entries, as HELLO writes them.</summary>
    public static long SizeOf(IEnumerable<KeyValuePair<string, string>> entries)
    {
        var size = 0L;
        foreach (var (key, value) in entries)
        {
            size += Encoding.UTF8.GetByteCount(key) + Encoding.UTF8.GetByteCount(value) + 8;
        }

        return size;
    }

    // An array and a loop: what LINQ and collection expressions are for these pairs is compiled while the application starts.
    private static KeyValuePair<string, string>[] Entries(ICollection<KeyValuePair<string, string>> entries)
    {
        var copy = new KeyValuePair<string, string>[entries.Count];
        entries.CopyTo(copy, 0);
        return copy;
    }

    private static IEnumerable<KeyValuePair<string, string?>> Inherited(IConfiguration host, IList<string>? sections) => sections is null
        ? host.GetChildren().Where(static child => !child.Key.Equals(OwnSection, StringComparison.OrdinalIgnoreCase)).SelectMany(static child => child.AsEnumerable())
        : sections.SelectMany(section => host.GetSection(section).AsEnumerable());
}
