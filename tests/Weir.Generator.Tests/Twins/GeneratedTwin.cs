using Weir.Generator.Tests.Driving;

namespace Weir.Generator.Tests.Twins;

/// <summary>The generator's output for the twin's services, compiled once.</summary>
internal static class GeneratedTwin
{
    public static string Source { get; } = Read();

    public static ServiceCatalog Catalog { get; } = Driver.Run(Driver.Library(Source)).LoadCatalog();

    private static string Read()
    {
        using var reader = new StreamReader(typeof(GeneratedTwin).Assembly.GetManifestResourceStream("Services.cs")!);
        return reader.ReadToEnd();
    }
}
