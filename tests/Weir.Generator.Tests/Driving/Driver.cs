using System.Collections.Immutable;
using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Text;
using Weir.Generator.Pipeline;

namespace Weir.Generator.Tests.Driving;

/// <summary>Runs the generator over source, as the compiler does.</summary>
internal static class Driver
{
    public static readonly CSharpParseOptions ParseOptions = new(LanguageVersion.CSharp12);

    private const string Usings =
        """
        global using System;
        global using System.Collections.Generic;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    // What the package Weir.Abstractions brings with it.
    private static readonly string[] Brought =
        ["Microsoft.Extensions.Configuration.Abstractions.dll", "Microsoft.Extensions.DependencyInjection.Abstractions.dll", "Microsoft.Extensions.Logging.Abstractions.dll", "Microsoft.Extensions.Primitives.dll"];

    private static readonly ImmutableArray<MetadataReference> References = [.. TrustedAssemblies(), .. Named("Forwarder")];

    // Of the framework: it fills in classes derived from JsonSerializerContext.
    private static readonly Lazy<ImmutableArray<ISourceGenerator>> JsonGenerator =
        new(static () => new AnalyzerFileReference(Paths("JsonGenerator").Single(), new FileLoader()).GetGenerators(LanguageNames.CSharp));

    /// <summary>The execution of Weir itself, with the extensions that it refers to: what a compilation has beside the others.</summary>
    public static ImmutableArray<MetadataReference> Execution { get; } =
        [.. Trusted(static name => (name.StartsWith("Microsoft.Extensions.", StringComparison.Ordinal) && !Brought.Contains(name)) || name is "Weir.Execution.dll" or "Weir.AspNetCore.dll")];

    /// <summary>What generated clients call: the compilations that have it get clients.</summary>
    public static ImmutableArray<MetadataReference> Client { get; } = [.. Trusted(static name => name == "Weir.Client.dll")];

    /// <summary>What the SDK suppresses in every project: that an assembly was built against an older framework.</summary>
    public static ImmutableDictionary<string, ReportDiagnostic> Suppressed { get; } = ImmutableDictionary<string, ReportDiagnostic>.Empty.Add("CS1701", ReportDiagnostic.Suppress);

    public static CSharpCompilation Compilation(string assemblyName, OutputKind kind, IEnumerable<MetadataReference> references, params string[] sources) =>
        CSharpCompilation.Create(
            assemblyName,
            sources.Prepend(Usings).Select((source, index) => CSharpSyntaxTree.ParseText(source, ParseOptions, $"Source{index}.cs", System.Text.Encoding.UTF8)),
            References.Concat(references),
            new CSharpCompilationOptions(kind, nullableContextOptions: NullableContextOptions.Enable, concurrentBuild: false, specificDiagnosticOptions: Suppressed));

    public static CSharpCompilation Library(params string[] sources) =>
        Compilation("Some.Library", OutputKind.DynamicallyLinkedLibrary, [], sources);

    /// <summary>Runs the generator over a contract assembly for .NET Framework: netstandard2.0, old language, no nullable annotations.</summary>
    public static GeneratorOutput OldFramework(string source)
    {
        var options = new CSharpParseOptions(LanguageVersion.CSharp7_3);
        var compilation = CSharpCompilation.Create(
            "Contracts",
            [CSharpSyntaxTree.ParseText(source, options, "Contracts.cs", System.Text.Encoding.UTF8)],
            Named("OldReference"),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary));
        var driver = CSharpGeneratorDriver.Create([new WeirGenerator().AsSourceGenerator()], parseOptions: options)
            .RunGeneratorsAndUpdateCompilation(compilation, out var output, out _);
        return new GeneratorOutput(driver.GetRunResult().Results.Single(), (CSharpCompilation)output);
    }

    public static GeneratorDriver Create(IReadOnlyDictionary<string, string>? properties = null, bool hasJsonContext = false, string? baseline = null) => CSharpGeneratorDriver.Create(
        [new WeirGenerator().AsSourceGenerator(), .. hasJsonContext ? JsonGenerator.Value : []],
        additionalTexts: baseline is null ? [] : [new Baseline(baseline)],
        parseOptions: ParseOptions,
        optionsProvider: new Options(properties ?? ImmutableDictionary<string, string>.Empty),
        driverOptions: new GeneratorDriverOptions(IncrementalGeneratorOutputKind.None, trackIncrementalGeneratorSteps: true));

    public static GeneratorOutput Run(CSharpCompilation compilation, IReadOnlyDictionary<string, string>? properties = null, string? baseline = null)
    {
        var hasJsonContext = compilation.SyntaxTrees.Any(static tree => tree.ToString().Contains(": JsonSerializerContext", StringComparison.Ordinal));
        var driver = Create(properties, hasJsonContext, baseline).RunGeneratorsAndUpdateCompilation(compilation, out var output, out _);
        return new GeneratorOutput(driver.GetRunResult().Results[0], (CSharpCompilation)output);
    }

    private static IEnumerable<MetadataReference> TrustedAssemblies() =>
        Trusted(static name => name.StartsWith("System.", StringComparison.Ordinal) || name.StartsWith("Microsoft.AspNetCore.", StringComparison.Ordinal) || name is "mscorlib.dll" or "netstandard.dll" or "Weir.Abstractions.dll" || Brought.Contains(name));

    private static IEnumerable<MetadataReference> Trusted(Func<string, bool> isWanted) =>
        ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(path => isWanted(Path.GetFileName(path)))
            .Select(static path => MetadataReference.CreateFromFile(path));

    // The project file writes these paths into the assembly.
    private static IEnumerable<string> Paths(string key) =>
        typeof(Driver).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Where(one => one.Key == key).Select(static one => one.Value!);

    private static IEnumerable<MetadataReference> Named(string key) => Paths(key).Select(static path => MetadataReference.CreateFromFile(path));

    private sealed class FileLoader : IAnalyzerAssemblyLoader
    {
        public void AddDependencyLocation(string fullPath)
        {
        }

        public Assembly LoadFromPath(string fullPath) => Assembly.LoadFrom(fullPath);
    }

    private sealed class Baseline(string text) : AdditionalText
    {
        public override string Path => "/project/weir.contract.json";

        public override SourceText GetText(CancellationToken cancellationToken = default) => SourceText.From(text);
    }

    private sealed class Options(IReadOnlyDictionary<string, string> properties) : AnalyzerConfigOptionsProvider
    {
        public override AnalyzerConfigOptions GlobalOptions { get; } = new Values(properties);

        public override AnalyzerConfigOptions GetOptions(SyntaxTree tree) => GlobalOptions;

        public override AnalyzerConfigOptions GetOptions(AdditionalText textFile) => GlobalOptions;
    }

    private sealed class Values(IReadOnlyDictionary<string, string> properties) : AnalyzerConfigOptions
    {
        public override bool TryGetValue(string key, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out string? value) => properties.TryGetValue(key, out value);
    }
}
