using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Weir.Worker.Start;

/// <summary>
/// Finds the generated catalogs of an application by the one name they always have. The only reflection in Weir: a
/// worker is an executable of its own and cannot be compiled against the application it serves.
/// </summary>
internal static class ApplicationCatalogs
{
    private const string TypeName = "Weir.Generated.ApplicationCatalog";
    private const string PropertyName = "Catalogs";

    /// <param name="application">The simple name of the assembly whose <c>AddWeir</c> ran in the host.</param>
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "Only Weir.Worker.dll comes here, which runs untrimmed; trimmed and compiled applications pass their catalogs to WeirWorker.TryRun.")]
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "See IL2026.")]
    public static IReadOnlyList<ServiceCatalog> Load(string application)
    {
        var assembly = Assembly.Load(new AssemblyName(application));
        var type = assembly.GetType(TypeName, throwOnError: false)
            ?? throw new TypeLoadException($"{application} has no {TypeName}: the generator writes it into an executable that references Weir.Execution, or sets <WeirApplication>true</WeirApplication>.");
        var property = type.GetProperty(PropertyName, BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DoNotWrapExceptions);
        return property?.GetValue(null, BindingFlags.DoNotWrapExceptions, null, null, null) as IReadOnlyList<ServiceCatalog>
            ?? throw new MissingMemberException($"{TypeName} of {application} has no {PropertyName}: it was built by another version of Weir.Generator.");
    }
}
