using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Services;

/// <summary>Reads what the generator needs to know about the compilation as a whole.</summary>
internal static class ApplicationParser
{
    private const string Contract = "Weir.Abstractions";
    private const string Execution = "Weir.Execution";

    private static readonly string[] PublishProperties = ["PublishAot", "PublishTrimmed", "PublishSingleFile", "SelfContained"];

    public static ApplicationModel Parse(Compilation compilation, AnalyzerConfigOptions options, CancellationToken cancellationToken)
    {
        var references = compilation.SourceModule.ReferencedAssemblySymbols;
        var hasExecution = references.Any(static one => one.Name == Execution) || compilation.GetTypeByMetadataName("Weir.WeirOptions") is not null;
        var isExecutable = compilation.Options.OutputKind is OutputKind.ConsoleApplication or OutputKind.WindowsApplication;
        var property = Property(options, "WeirApplication");
        var isApplication = hasExecution && (property ?? isExecutable);
        var hasWorker = isApplication && compilation.GetTypeByMetadataName("Weir.Runtime.ApplicationWorker") is not null;
        var catalogs = isApplication ? references.Select(one => Catalog(one, cancellationToken)).Where(static one => one is not null).ToList() : [];
        var context = compilation.Assembly.Weir("WeirJsonAttribute")?.ConstructorArguments.FirstOrDefault().Value as ITypeSymbol;
        return new ApplicationModel(
            compilation.AssemblyName ?? "",
            compilation.GetTypeByMetadataName("Weir.Runtime.ServiceCatalog") is not null,
            isApplication,
            hasExecution && property is null && !isExecutable && CanRefuse(compilation, cancellationToken),
            references.Any(static one => one.Name == "Weir.AspNetCore"),
            hasWorker,
            hasWorker && isExecutable && Property(options, "WeirStartsWorkers") != false ? PublishProperties.FirstOrDefault(one => Property(options, one) == true) : null,
            catalogs.Any(static one => HasIsolated(one!)),
            catalogs.Where(static one => one!.Type() is not null).Select(static one => TypeNames.ForCode(one!.Type()!)).ToEquatableArray())
        {
            IsTest = UnmarkedImplementation.IsTest(compilation),
            ReferencedServices = isApplication ? ReferencedServices(compilation, cancellationToken).ToEquatableArray() : default,
            JsonContext = context is null ? null : TypeNames.ForCode(context),
            JsonContextRefusal = context is null ? null : JsonContextRules.Refusal(context, compilation.Assembly),
        };
    }

    /// <summary>The services of everything that a compilation references, as far as their catalogs name them.</summary>
    public static IEnumerable<ReferencedServiceModel> ReferencedServices(Compilation compilation, CancellationToken cancellationToken) =>
        compilation.SourceModule.ReferencedAssemblySymbols.Select(one => Catalog(one, cancellationToken))
            .SelectMany(static one => one?.NamedArguments.FirstOrDefault(static argument => argument.Key == "Services").Value is { Kind: TypedConstantKind.Array, IsNull: false } list ? list.Values : [])
            .Select(static one => ReferencedServiceModel.Parse(one.Value as string)).Where(static one => one is not null).Select(static one => one!);

    // What is generated must compile where nothing calls it, and must not hide or meet a method of this name that the library has itself.
    private static bool CanRefuse(Compilation compilation, CancellationToken cancellationToken) =>
        compilation.GetTypeByMetadataName("Weir.WeirOptions") is not null
        && !compilation.ContainsSymbolsWithName("AddWeir", SymbolFilter.Member, cancellationToken);

    private static bool? Property(AnalyzerConfigOptions options, string name) =>
        options.TryGetValue("build_property." + name, out var value) && bool.TryParse(value, out var parsed) ? parsed : null;

    // Attributes are decoded only for assemblies that can have the attribute.
    private static AttributeData? Catalog(IAssemblySymbol assembly, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return assembly.Modules.Any(static module => module.ReferencedAssemblies.Any(static one => one.Name == Contract))
            ? assembly.Of("Weir.Runtime", "WeirCatalogAttribute")
            : null;
    }

    private static bool HasIsolated(AttributeData catalog) =>
        catalog.NamedArguments.Any(static one => one.Key == "HasIsolatedOperations" && one.Value.Value is true);
}
