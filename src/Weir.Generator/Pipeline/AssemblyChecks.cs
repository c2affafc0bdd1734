using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Weir.Generator.Model;
using Weir.Generator.Parsing;
using Weir.Generator.Parsing.Services;

namespace Weir.Generator.Pipeline;

/// <summary>Checks between the services of an assembly. Findings name types; source locations are resolved only for findings.</summary>
internal static class AssemblyChecks
{
    public static EquatableArray<AssemblyFinding> Run(
        EquatableArray<CatalogEntryModel> services, EquatableArray<ParsedWorkerServices> workerServices, ApplicationModel application, bool hasEntryCall, bool hasAddCall)
    {
        var workers = workerServices.Count == 0
            ? services.Where(static one => one.WorkerNeeds is not null)
                .Select(static one => Finding(WeirCodes.WorkerServicesMissing, one, one.TypeName, one.WorkerNeeds!, IsInWorkers(one.WorkerNeeds!)
                    ? "; the method may be empty, because a worker has loggers, configuration and options"
                    : ", and register it there"))
            : workerServices.Skip(1).Select(static one => new AssemblyFinding(
                WeirCodes.WorkerServicesShape, one.Type, one.Name, new[] { one.Name, "the assembly has another [WorkerServices] method" }.ToEquatableArray()));
        var declaredOnly = application.RunsServices ? [] : services.Select(static one => Finding(
            WeirCodes.ServiceShape, one, one.TypeName, "this assembly targets a framework for which it can only declare services; target net10.0, or keep the interface here and move the class to an assembly for net10.0"));
        return Contracts(services).Concat(Names(services)).Concat(hasAddCall ? ReferencedNames(services, application) : []).Concat(Jobs(services)).Concat(workers).Concat(declaredOnly).Concat(EntryPoint(services, application, hasEntryCall)).Concat(Json(services, application)).ToEquatableArray();
    }

    private static IEnumerable<AssemblyFinding> EntryPoint(EquatableArray<CatalogEntryModel> services, ApplicationModel application, bool hasEntryCall)
    {
        var isolated = services.FirstOrDefault(static one => one.Pools.Count > 0)?.TypeName ?? (application.ReferencesIsolated ? "an assembly that this application references" : null);
        return application.OwnExecutable is { } property && isolated is not null && !hasEntryCall
            ? [new AssemblyFinding(WeirCodes.WorkerEntryPointMissing, null, null, new[] { isolated, property }.ToEquatableArray())]
            : [];
    }

    // One error for the assembly: its context has all of the types.
    private static IEnumerable<AssemblyFinding> Json(EquatableArray<CatalogEntryModel> services, ApplicationModel application)
    {
        if (application is { JsonContext: { } context, JsonContextRefusal: { } refusal })
        {
            return [new AssemblyFinding(WeirCodes.JsonContextShape, null, null, new[] { Plain(context), refusal }.ToEquatableArray())];
        }

        var first = services.FirstOrDefault(static one => one.WorkerJson.Count > 0);
        if (first is null || application.JsonContext is not null || !application.RunsServices)
        {
            return [];
        }

        var types = services.SelectMany(static one => one.WorkerJson).SelectMany(static one => one.Types).Distinct().Select(static one => $"[JsonSerializable(typeof({one}))]");
        return [new AssemblyFinding(
            WeirCodes.WorkerJsonMissing, first.MetadataName, first.WorkerJson[0].Method, new[] { first.WorkerJson[0].Operation, string.Join(" ", types) }.ToEquatableArray())];
    }

    private static IEnumerable<AssemblyFinding> Contracts(EquatableArray<CatalogEntryModel> services) =>
        from twins in services.GroupBy(static one => one.Contract)
        let first = twins.First()
        from other in twins.Skip(1)
        let contract = Plain(other.Contract)
        select other.IsGeneratedContract
            ? Finding(WeirCodes.ServiceShape, other, other.TypeName, $"its client would be {contract}, the same as the client of {first.TypeName}; rename one class, or move it to another namespace")
            : Finding(WeirCodes.DuplicateImplementation, other, first.TypeName, other.TypeName, contract);

    // Two classes of one contract also have one name; they are reported once.
    private static IEnumerable<AssemblyFinding> Names(EquatableArray<CatalogEntryModel> services) =>
        from twins in services.GroupBy(static one => one.Name, StringComparer.OrdinalIgnoreCase)
        let first = twins.First()
        from other in twins.Skip(1)
        where other.Contract != first.Contract
        select Finding(WeirCodes.DuplicateService, other, first.TypeName, other.TypeName, other.Name);

    // Kinds of two services of one name, or of one contract, are the same; the services are the error.
    private static IEnumerable<AssemblyFinding> Jobs(EquatableArray<CatalogEntryModel> services) =>
        from twins in services.GroupBy(static one => one.Name, StringComparer.OrdinalIgnoreCase).Select(static one => one.First())
            .GroupBy(static one => one.Contract).Select(static one => one.First())
            .SelectMany(static one => one.Jobs, static (service, job) => (service, job))
            .GroupBy(static one => one.job.Kind, StringComparer.OrdinalIgnoreCase)
        let first = twins.First().job
        from other in twins.Skip(1)
        let reason = $"its kind '{other.job.Kind}' is that of {first.Operation} too (case is ignored); give one another name with [Job(\"…\")]"
        select new AssemblyFinding(
            WeirCodes.JobShape, other.job.Type ?? other.service.MetadataName, other.job.Type is null ? null : other.job.Method, new[] { other.job.Operation, reason }.ToEquatableArray());

    // An application that does not add Weir may reference several: a test that starts each of them.
    private static IEnumerable<AssemblyFinding> ReferencedNames(EquatableArray<CatalogEntryModel> services, ApplicationModel application) =>
        from twins in services.Select(static one => (one.Name, one.TypeName, Own: (string?)one.MetadataName))
            .Concat(application.ReferencedServices.Select(static one => (one.Name, TypeName: one.Class, Own: (string?)null)))
            .GroupBy(static one => one.Name, StringComparer.OrdinalIgnoreCase)
        let first = twins.First()
        from other in twins.Skip(1)
        where other.Own is null
        select new AssemblyFinding(WeirCodes.DuplicateService, first.Own, null, new[] { first.TypeName, other.TypeName, other.Name }.ToEquatableArray());

    /// <summary>The diagnostics of findings, at the types they name.</summary>
    public static EquatableArray<DiagnosticModel> Locate(EquatableArray<AssemblyFinding> findings, Compilation compilation, CancellationToken cancellationToken) =>
        findings.Select(finding => new DiagnosticModel(finding.Code, Place(finding, compilation, cancellationToken), finding.Arguments)).ToEquatableArray();

    private static LocationModel? Place(AssemblyFinding finding, Compilation compilation, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (finding.Code == WeirCodes.JsonContextShape)
        {
            return LocationModel.Of(compilation.Assembly.Weir("WeirJsonAttribute")?.Place(compilation.Assembly));
        }

        if (finding.Type is null)
        {
            return LocationModel.Of(EntryPlace(compilation, cancellationToken));
        }

        var type = compilation.Assembly.GetTypeByMetadataName(finding.Type);
        if (finding is { Code: WeirCodes.JobShape, Member: { } marked }
            && type?.GetMembers(marked).OfType<IMethodSymbol>().Select(static one => one.Inherited(JobRules.Attribute)?.Place(one)).FirstOrDefault(static one => one is not null) is { } place)
        {
            return LocationModel.Of(place);
        }

        var symbol = finding.Member is null ? type : type?.GetMembers(finding.Member).FirstOrDefault() ?? (ISymbol?)type;
        return LocationModel.Of(symbol?.Locations.FirstOrDefault());
    }

    // Where the missing statement belongs: before the first statement of a program, or into Main.
    private static Location? EntryPlace(Compilation compilation, CancellationToken cancellationToken)
    {
        var entry = compilation.GetEntryPoint(cancellationToken);
        return entry?.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax(cancellationToken) is CompilationUnitSyntax unit
            ? unit.Members.OfType<GlobalStatementSyntax>().FirstOrDefault()?.GetLocation()
            : entry?.Locations.FirstOrDefault();
    }

    private static AssemblyFinding Finding(string code, CatalogEntryModel service, params string[] arguments) =>
        new(code, service.MetadataName, null, arguments.ToEquatableArray());

    private static bool IsInWorkers(string type) =>
        type.StartsWith("Microsoft.Extensions.Logging.ILogger", StringComparison.Ordinal)
        || type.StartsWith("Microsoft.Extensions.Options.IOptions", StringComparison.Ordinal)
        || type == "Microsoft.Extensions.Configuration.IConfiguration";

    private static string Plain(string type) => type.Substring("global::".Length);
}

/// <summary>One error between services.</summary>
/// <param name="Code">A constant of <see cref="WeirCodes"/>.</param>
/// <param name="Type">The type it is about; <c>null</c> for the program's entry point.</param>
/// <param name="Member">The member of it; <c>null</c> for the type.</param>
/// <param name="Arguments">The message's arguments.</param>
internal sealed record AssemblyFinding(string Code, string? Type, string? Member, EquatableArray<string> Arguments);
