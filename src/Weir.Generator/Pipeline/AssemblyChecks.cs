using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Pipeline;

/// <summary>Checks between the services of an assembly. Findings name types; places are looked up only where there is one.</summary>
internal static class AssemblyChecks
{
    public static EquatableArray<AssemblyFinding> Run(
        EquatableArray<CatalogEntryModel> services, EquatableArray<ParsedWorkerServices> workerServices, ApplicationModel application)
    {
        var findings = new List<AssemblyFinding>();
        foreach (var twins in services.GroupBy(static one => one.Name, StringComparer.OrdinalIgnoreCase))
        {
            findings.AddRange(twins.Skip(1).Select(one => Finding(WeirCodes.DuplicateService, one, twins.First().TypeName, one.TypeName, one.Name)));
        }

        foreach (var twins in services.GroupBy(static one => one.Contract))
        {
            findings.AddRange(twins.Skip(1).Select(one => Finding(WeirCodes.DuplicateImplementation, one, twins.First().TypeName, one.TypeName, Plain(one.Contract))));
        }

        if (workerServices.Count == 0)
        {
            findings.AddRange(services.Where(static one => one.WorkerNeeds is not null).Select(one => Finding(WeirCodes.WorkerServicesMissing, one, one.TypeName, one.WorkerNeeds!)));
        }

        if (!application.RunsServices)
        {
            findings.AddRange(services.Select(one => Finding(WeirCodes.ServiceShape, one, one.TypeName, "this assembly is built for a framework that only declares services; build it for net10.0, or move the class and leave the interface")));
        }

        findings.AddRange(workerServices.Skip(1).Select(static one => new AssemblyFinding(
            WeirCodes.WorkerServicesShape, one.Type, one.Name, new[] { one.Name, "the assembly has another one" }.ToEquatableArray())));
        return findings.ToEquatableArray();
    }

    /// <summary>The diagnostics of findings, at the types they name.</summary>
    public static EquatableArray<DiagnosticModel> Locate(EquatableArray<AssemblyFinding> findings, Compilation compilation) =>
        findings.Select(finding => new DiagnosticModel(finding.Code, Place(finding, compilation), finding.Arguments)).ToEquatableArray();

    private static LocationModel? Place(AssemblyFinding finding, Compilation compilation)
    {
        var type = compilation.Assembly.GetTypeByMetadataName(finding.Type);
        var symbol = finding.Member is null ? type : type?.GetMembers(finding.Member).FirstOrDefault() ?? (ISymbol?)type;
        return LocationModel.Of(symbol?.Locations.FirstOrDefault());
    }

    private static AssemblyFinding Finding(string code, CatalogEntryModel service, params string[] arguments) =>
        new(code, service.MetadataName, null, arguments.ToEquatableArray());

    private static string Plain(string type) => type.Substring("global::".Length);
}

/// <summary>Something wrong between services.</summary>
/// <param name="Code">A constant of <see cref="WeirCodes"/>.</param>
/// <param name="Type">The type it is about.</param>
/// <param name="Member">The member of it; <c>null</c> for the type.</param>
/// <param name="Arguments">The message's arguments.</param>
internal sealed record AssemblyFinding(string Code, string Type, string? Member, EquatableArray<string> Arguments);
