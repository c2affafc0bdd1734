using Weir.Generator.Model;

namespace Weir.Generator.Pipeline;

/// <summary>The services that are written: of those with one name, or one interface, the first. The others are errors.</summary>
internal static class ServiceSet
{
    public static IEnumerable<ServiceModel> Of(EquatableArray<ParsedService> parsed)
    {
        var names = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        var contracts = new HashSet<string>();
        return parsed.Where(static one => one.Service is not null).Select(static one => one.Service!)
            .Where(one => names.Add(one.Name) & contracts.Add(one.Contract ?? one.Client!.Type));
    }
}
