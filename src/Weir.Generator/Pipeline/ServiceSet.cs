using Weir.Generator.Model;

namespace Weir.Generator.Pipeline;

/// <summary>The services that are written: the first of those with the same name, or the same interface. The others are errors.</summary>
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
