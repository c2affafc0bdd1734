using System.Reflection;
using Weir.Runtime;

namespace Weir.Worker.Start;

/// <summary>
/// Finds the generated catalogs of an application by the attribute they always have. The only reflection in Weir: a
/// worker is an executable of its own and cannot be compiled against the application it serves.
/// </summary>
internal static class ApplicationCatalogs
{
    /// <param name="application">The simple name of the assembly whose <c>AddWeir</c> ran in the host.</param>
    public static IReadOnlyList<ServiceCatalog> Load(string application)
    {
        // Not AssemblyName(string), Assembly.GetType and GetProperty: their parsers are vector code that is compiled at run time.
        var assembly = Assembly.Load(new AssemblyName { Name = application });
        foreach (var attribute in assembly.GetCustomAttributes(typeof(WeirApplicationAttribute), inherit: false))
        {
            return ((WeirApplicationAttribute)attribute).Catalogs;
        }

        throw new TypeLoadException(
            $"{application} has no {nameof(WeirApplicationAttribute)}: the generator of this version writes it into an executable that references Weir.Execution, or sets <WeirApplication>true</WeirApplication>. Build the application again.");
    }
}
