using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Weir.Generator.Emission;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Services;

namespace Weir.Generator.Pipeline;

/// <summary>
/// Reads marked classes into small equatable models and writes text from them. Symbols live only inside the first
/// steps; if an edit does not change a model, the steps after it do not run.
/// </summary>
[Generator(LanguageNames.CSharp)]
public sealed class WeirGenerator : IIncrementalGenerator
{
    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        context.RegisterPostInitializationOutput(static output => output.AddEmbeddedAttributeDefinition());
        var application = context.CompilationProvider.Combine(context.AnalyzerConfigOptionsProvider)
            .Select(static (pair, cancellationToken) => ApplicationParser.Parse(pair.Left, pair.Right.GlobalOptions, cancellationToken))
            .WithTrackingName(StepNames.Application);
        var contracts = MarkedClasses.Contracts(context.SyntaxProvider).WithTrackingName(StepNames.Contracts);
        var parsed = MarkedClasses.Services(context.SyntaxProvider, contracts).ToArray().WithTrackingName(StepNames.Parsed);
        var workerServices = WorkerServices(context).ToArray().WithTrackingName(StepNames.WorkerServices);
        var catalog = parsed.Select(static (all, _) => ServiceSet.Of(all).Select(CatalogEntryModel.Of).ToEquatableArray()).WithTrackingName(StepNames.Catalog);
        var entries = parsed.Select(static (all, _) => all.Where(static one => one.Service is not null).Select(static one => CatalogEntryModel.Of(one.Service!)).ToEquatableArray());

        foreach (var strays in MarkedClasses.StrayMarks(context.SyntaxProvider))
        {
            Report(context, strays);
        }

        var hasEntryCall = EntryCalls.Any(context.SyntaxProvider).WithTrackingName(StepNames.EntryCalls);
        var obsolete = ObsoleteIds.All(context.SyntaxProvider).WithTrackingName(StepNames.ObsoleteIds);
        var hasAddCall = EntryCalls.AnyAdd(context.SyntaxProvider);
        var unmarked = Unmarked(context, entries, application).WithTrackingName(StepNames.Unmarked);
        RegisterErrors(context, parsed, contracts.Select(static (one, _) => one.Diagnostics), workerServices, entries, application, hasEntryCall.Combine(hasAddCall));
        Register(context, ServiceFiles(parsed, application), obsolete);
        Register(context, TypeFiles(parsed, application), obsolete);
        var unserved = UnservedContracts(contracts, parsed, application);
        Register(context, ContractsFile(unserved), obsolete);
        ReportChanges(context, parsed, unserved);
        Register(context, CatalogFile(catalog, unmarked, workerServices, application), obsolete);
        Register(context, JsonTypesFile(parsed, application), obsolete);
        Register(context, ApplicationFile(catalog, unmarked, application), obsolete);
        Register(context, RemoteClients.Files(context), obsolete);
    }

    private static IncrementalValuesProvider<ParsedWorkerServices> WorkerServices(IncrementalGeneratorInitializationContext context) =>
        context.SyntaxProvider.ForAttributeWithMetadataName(
            "Weir.WorkerServicesAttribute",
            static (node, _) => node is MethodDeclarationSyntax,
            static (syntax, _) => WorkerServicesParser.Parse(syntax.SemanticModel.Compilation, (IMethodSymbol)syntax.TargetSymbol));

    // The analyzer reports them; the application names them when it starts.
    private static IncrementalValueProvider<EquatableArray<UnmarkedClassModel>> Unmarked(
        IncrementalGeneratorInitializationContext context, IncrementalValueProvider<EquatableArray<CatalogEntryModel>> entries, IncrementalValueProvider<ApplicationModel> application) =>
        MarkedClasses.Unmarked(context.SyntaxProvider).ToArray().Combine(entries).Combine(application).Select(static (all, _) =>
        {
            var ((unmarked, services), application) = all;
            var served = services.Select(static one => one.Reference).Concat(application.ReferencedServices).Select(static one => one.Contract).ToList();
            return application.IsTest || !(application.HasServer || services.Count > 0) ? default : unmarked.Distinct().Where(one => !served.Contains(one.Contract)).ToEquatableArray();
        });

    private static IncrementalValuesProvider<GeneratedFile> ServiceFiles(
        IncrementalValueProvider<EquatableArray<ParsedService>> parsed, IncrementalValueProvider<ApplicationModel> application) =>
        parsed.SelectMany(static (all, _) => ServiceSet.Of(all))
            .WithTrackingName(StepNames.Services)
            .Combine(Place(application))
            .Select(static (pair, cancellationToken) => pair.Right is { } place
                ? new GeneratedFile($"Service.{pair.Left.Identifier}.g.cs", ServiceEmitter.Write(place, pair.Left, cancellationToken))
                : GeneratedFile.None)
            .WithTrackingName(StepNames.ServiceText);

    private static IncrementalValuesProvider<GeneratedFile> TypeFiles(
        IncrementalValueProvider<EquatableArray<ParsedService>> parsed, IncrementalValueProvider<ApplicationModel> application) =>
        parsed.SelectMany(static (all, _) => TypeSet.Of(all))
            .WithTrackingName(StepNames.Types)
            .Combine(Place(application))
            .Select(static (pair, _) => pair.Right is { } place ? new GeneratedFile(pair.Left.File, TypeEmitter.Write(place, pair.Left.Type)) : GeneratedFile.None)
            .WithTrackingName(StepNames.TypeText);

    private static IncrementalValueProvider<GeneratedFile> CatalogFile(
        IncrementalValueProvider<EquatableArray<CatalogEntryModel>> catalog,
        IncrementalValueProvider<EquatableArray<UnmarkedClassModel>> unmarked,
        IncrementalValueProvider<EquatableArray<ParsedWorkerServices>> workerServices,
        IncrementalValueProvider<ApplicationModel> application) =>
        catalog.Combine(unmarked).Combine(workerServices).Combine(application).Select(static (all, _) =>
            {
                var (((services, unmarked), workers), application) = all;
                return services.Count + unmarked.Count > 0 && application.RunsServices
                    ? new GeneratedFile("Catalog.g.cs", CatalogEmitter.Write(application, services, unmarked, workers.Count > 0 ? workers[0].Method : null))
                    : GeneratedFile.None;
            })
            .WithTrackingName(StepNames.CatalogText);

    // The contract of a service is in the service's file.
    private static IncrementalValueProvider<EquatableArray<ContractModel>> UnservedContracts(
        IncrementalValuesProvider<ParsedContract> contracts, IncrementalValueProvider<EquatableArray<ParsedService>> parsed, IncrementalValueProvider<ApplicationModel> application) =>
        contracts.Where(static one => one.Text is not null).Select(static (one, _) => one.Text!).ToArray()
            .Combine(parsed.Combine(application).Select(static (pair, _) => pair.Right.RunsServices
                ? ServiceSet.Of(pair.Left).Select(static one => one.Name).ToEquatableArray()
                : default))
            .Select(static (pair, _) => pair.Left.Where(one => !pair.Right.Contains(one.Service, StringComparer.OrdinalIgnoreCase)).ToEquatableArray())
            .WithTrackingName(StepNames.UnservedContracts);

    private static IncrementalValueProvider<GeneratedFile> ContractsFile(IncrementalValueProvider<EquatableArray<ContractModel>> unserved) =>
        unserved.Select(static (all, _) => all.Count > 0 ? new GeneratedFile("Contracts.g.cs", ContractEmitter.Write(all)) : GeneratedFile.None)
            .WithTrackingName(StepNames.ContractsText);

    private static void ReportChanges(
        IncrementalGeneratorInitializationContext context, IncrementalValueProvider<EquatableArray<ParsedService>> parsed, IncrementalValueProvider<EquatableArray<ContractModel>> unserved)
    {
        // Without an accepted contract nothing is compared.
        var changes = BaselineCheck.Baseline(context).WithTrackingName(StepNames.Baseline).Combine(parsed).Combine(unserved)
            .Select(static (all, _) =>
            {
                var ((baseline, services), unserved) = all;
                return baseline is null ? default : BaselineCheck.Run(baseline, ServiceSet.Of(services).Where(static one => one.IsServedOverHttp).Select(static one => one.ContractText).Concat(unserved).ToEquatableArray());
            })
            .Combine(context.CompilationProvider)
            .Select(static (pair, cancellationToken) => AssemblyChecks.Locate(pair.Left, pair.Right, cancellationToken));
        Report(context, changes.SelectMany(static (one, _) => new[] { one }));
    }

    private static IncrementalValueProvider<GeneratedFile> JsonTypesFile(
        IncrementalValueProvider<EquatableArray<ParsedService>> parsed, IncrementalValueProvider<ApplicationModel> application) =>
        parsed.Select(static (all, _) => JsonTypeSet.Of(all))
            .WithTrackingName(StepNames.JsonTypes)
            .Combine(application)
            .Select(static (pair, _) => pair.Left is { } types && pair.Right.RunsServices
                ? new GeneratedFile("JsonTypes.g.cs", JsonTypesEmitter.Write(pair.Right, types))
                : GeneratedFile.None)
            .WithTrackingName(StepNames.JsonTypesText);

    private static IncrementalValueProvider<GeneratedFile> ApplicationFile(
        IncrementalValueProvider<EquatableArray<CatalogEntryModel>> catalog, IncrementalValueProvider<EquatableArray<UnmarkedClassModel>> unmarked, IncrementalValueProvider<ApplicationModel> application) =>
        catalog.Combine(unmarked).Select(static (pair, _) => pair.Left.Count + pair.Right.Count > 0).Combine(application).Select(static (pair, _) => pair.Right.IsApplication
                ? new GeneratedFile("AddWeir.g.cs", ApplicationEmitter.Write(pair.Right, pair.Left))
                : pair.Right.RefusesAddWeir ? new GeneratedFile("AddWeirInLibrary.g.cs", LibraryEmitter.Write(pair.Right.AssemblyName))
                : GeneratedFile.None)
            .WithTrackingName(StepNames.ApplicationText);

    private static IncrementalValueProvider<string?> Place(IncrementalValueProvider<ApplicationModel> application) =>
        application.Select(static (one, _) => one.RunsServices ? one.Namespace : null);

    private static void RegisterErrors(
        IncrementalGeneratorInitializationContext context,
        IncrementalValueProvider<EquatableArray<ParsedService>> parsed,
        IncrementalValuesProvider<EquatableArray<DiagnosticModel>> contracts,
        IncrementalValueProvider<EquatableArray<ParsedWorkerServices>> workerServices,
        IncrementalValueProvider<EquatableArray<CatalogEntryModel>> entries,
        IncrementalValueProvider<ApplicationModel> application,
        IncrementalValueProvider<(bool Entry, bool Add)> calls)
    {
        var between = entries.Combine(workerServices).Combine(application).Combine(calls)
            .Select(static (all, _) =>
            {
                var (((services, workers), application), calls) = all;
                return AssemblyChecks.Run(services, workers, application, calls.Entry, calls.Add);
            })
            .WithTrackingName(StepNames.Findings)
            .Combine(context.CompilationProvider)
            .Select(static (pair, cancellationToken) => AssemblyChecks.Locate(pair.Left, pair.Right, cancellationToken));
        Report(context, contracts);
        // What several services share, a base class or a type, is reported once.
        Report(context, parsed.SelectMany(static (all, _) => new[] { all.SelectMany(static one => one.Diagnostics).Distinct().ToEquatableArray() }));
        Report(context, workerServices.SelectMany(static (all, _) => all.Select(static one => one.Diagnostics)));
        Report(context, between.SelectMany(static (one, _) => new[] { one }));
    }

    private static void Report(IncrementalGeneratorInitializationContext context, IncrementalValuesProvider<EquatableArray<DiagnosticModel>> diagnostics) =>
        context.RegisterSourceOutput(diagnostics, static (output, all) =>
        {
            foreach (var one in all)
            {
                output.ReportDiagnostic(one.ToDiagnostic());
            }
        });

    private static void Register(IncrementalGeneratorInitializationContext context, IncrementalValuesProvider<GeneratedFile> files, IncrementalValueProvider<EquatableArray<string>> obsolete) =>
        context.RegisterSourceOutput(files.Combine(obsolete), static (output, pair) => Add(output, pair.Left, pair.Right));

    private static void Register(IncrementalGeneratorInitializationContext context, IncrementalValueProvider<GeneratedFile> file, IncrementalValueProvider<EquatableArray<string>> obsolete) =>
        context.RegisterSourceOutput(file.Combine(obsolete), static (output, pair) => Add(output, pair.Left, pair.Right));

    private static void Add(SourceProductionContext output, GeneratedFile file, EquatableArray<string> obsolete)
    {
        if (file.Name is { } name)
        {
            output.AddSource(name, ObsoleteIds.Disable(file.Text, obsolete));
        }
    }
}
