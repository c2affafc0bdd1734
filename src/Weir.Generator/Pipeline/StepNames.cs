namespace Weir.Generator.Pipeline;

/// <summary>The names of the pipeline's steps; tests use them to check which steps ran again.</summary>
internal static class StepNames
{
    public const string Application = nameof(Application);
    public const string Contracts = nameof(Contracts);
    public const string Parsed = nameof(Parsed);
    public const string Services = nameof(Services);
    public const string Types = nameof(Types);
    public const string Catalog = nameof(Catalog);
    public const string WorkerServices = nameof(WorkerServices);
    public const string Unmarked = nameof(Unmarked);
    public const string EntryCalls = nameof(EntryCalls);
    public const string Findings = nameof(Findings);
    public const string ServiceText = nameof(ServiceText);
    public const string TypeText = nameof(TypeText);
    public const string CatalogText = nameof(CatalogText);
    public const string JsonTypes = nameof(JsonTypes);
    public const string JsonTypesText = nameof(JsonTypesText);
    public const string UnservedContracts = nameof(UnservedContracts);
    public const string ContractsText = nameof(ContractsText);
    public const string ClientAssembly = nameof(ClientAssembly);
    public const string Clients = nameof(Clients);
    public const string ClientText = nameof(ClientText);
    public const string Baseline = nameof(Baseline);
    public const string ApplicationText = nameof(ApplicationText);
    public const string ObsoleteIds = nameof(ObsoleteIds);
}
