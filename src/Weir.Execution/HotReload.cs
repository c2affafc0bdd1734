using System.Reflection.Metadata;
using Weir.Execution;

[assembly: MetadataUpdateHandler(typeof(HotReload))]

namespace Weir.Execution;

/// <summary>Notices that the code of this process was changed while it runs: by <c>dotnet watch</c>, or by a debugger. Workers do not get such changes.</summary>
internal static class HotReload
{
    /// <summary>Raised after each change, on the thread that applied it. Handlers are added and removed by any thread.</summary>
    public static event Action? Changed;

    /// <summary>Called by the runtime, which finds it by its name.</summary>
    /// <param name="types">The changed types; <c>null</c> where that is not known.</param>
    public static void UpdateApplication(Type[]? types) => Changed?.Invoke();
}
