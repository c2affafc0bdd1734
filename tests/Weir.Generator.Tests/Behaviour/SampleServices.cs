using Weir.Generator.Tests.Driving;
using Weir.Runtime;

namespace Weir.Generator.Tests.Behaviour;

/// <summary>The services of <c>Services.cs</c>, generated and compiled once.</summary>
internal static class SampleServices
{
    public static string Source { get; } = Read();

    public static ServiceCatalog Catalog { get; } = Driver.Run(Driver.Library(Source)).LoadCatalog();

    private static string Read()
    {
        using var reader = new StreamReader(typeof(SampleServices).Assembly.GetManifestResourceStream("Services.cs")!);
        return reader.ReadToEnd();
    }
}
