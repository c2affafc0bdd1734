using System.Collections.Concurrent;
using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>The generated clients of all loaded assemblies, by contract. Generated module initializers fill it; may be used concurrently.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ServiceClients
{
    private static readonly ConcurrentDictionary<Type, Func<ServiceClient, object>> All = new();

    /// <summary>Adds the client of a contract. Where several assemblies have one of the same contract, they do the same, and the first is used.</summary>
    /// <param name="contract">The interface.</param>
    /// <param name="create">Makes a client, which implements it.</param>
    public static void Register(Type contract, Func<ServiceClient, object> create) => All.TryAdd(contract, create);

    internal static Func<ServiceClient, object>? Find(Type contract) => All.TryGetValue(contract, out var create) ? create : null;
}
