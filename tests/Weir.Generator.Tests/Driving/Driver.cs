using System.Collections.Immutable;
using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
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

    private static readonly ImmutableArray<MetadataReference> References = [.. TrustedAssemblies()];

    public static CSharpCompilation Compilation(string assemblyName, OutputKind kind, IEnumerable<MetadataReference> references, params string[] sources) =>
        CSharpCompilation.Create(
            assemblyName,
            sources.Prepend(Usings).Select((source, index) => CSharpSyntaxTree.ParseText(source, ParseOptions, $"Source{index}.cs", System.Text.Encoding.UTF8)),
            References.Concat(references),
            new CSharpCompilationOptions(kind, nullableContextOptions: NullableContextOptions.Enable, concurrentBuild: false));

    public static CSharpCompilation Library(params string[] sources) =>
        Compilation("Some.Library", OutputKind.DynamicallyLinkedLibrary, [], sources);

    public static GeneratorDriver Create(IReadOnlyDictionary<string, string>? properties = null) => CSharpGeneratorDriver.Create(
        [new WeirGenerator().AsSourceGenerator()],
        parseOptions: ParseOptions,
        optionsProvider: new Options(properties ?? ImmutableDictionary<string, string>.Empty),
        driverOptions: new GeneratorDriverOptions(IncrementalGeneratorOutputKind.None, trackIncrementalGeneratorSteps: true));

    public static GeneratorOutput Run(CSharpCompilation compilation, IReadOnlyDictionary<string, string>? properties = null)
    {
        var driver = Create(properties).RunGeneratorsAndUpdateCompilation(compilation, out var output, out _);
        return new GeneratorOutput(driver.GetRunResult().Results.Single(), (CSharpCompilation)output);
    }

    private static IEnumerable<MetadataReference> TrustedAssemblies() =>
        ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(static path => Path.GetFileName(path) is var name && (name.StartsWith("System.", StringComparison.Ordinal) || name is "mscorlib.dll" or "netstandard.dll" or "Weir.Contract.dll"))
            .Select(static path => MetadataReference.CreateFromFile(path));

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

/// <summary>What came of a run.</summary>
internal sealed record GeneratorOutput(GeneratorRunResult Result, CSharpCompilation Compilation)
{
    /// <summary>What the generator reported.</summary>
    public ImmutableArray<Diagnostic> Reported => Result.Exception is null ? Result.Diagnostics : throw new InvalidOperationException("The generator threw.", Result.Exception);

    /// <summary>What the compiler says of source and output together, warnings included.</summary>
    public IReadOnlyList<Diagnostic> Compiled => Compilation.GetDiagnostics().Where(static one => one.Severity >= DiagnosticSeverity.Warning).ToList();

    /// <summary>One file of the output.</summary>
    public string Text(string file) => Result.GeneratedSources.Single(one => one.HintName == file).SourceText.ToString();

    /// <summary>Compiles and loads the assembly.</summary>
    public Assembly Load()
    {
        using var bytes = new MemoryStream();
        var emitted = Compilation.Emit(bytes);
        return emitted.Success ? Assembly.Load(bytes.ToArray()) : throw new InvalidOperationException(string.Join('\n', emitted.Diagnostics));
    }
}
