using System.Collections.Immutable;
using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Weir.Generator.Analyzers;
using Weir.Runtime;

namespace Weir.Generator.Tests.Driving;

/// <summary>What came of a run.</summary>
internal sealed record GeneratorOutput(GeneratorRunResult Result, CSharpCompilation Compilation)
{
    /// <summary>What the generator reported.</summary>
    public ImmutableArray<Diagnostic> Reported => Result.Exception is null ? Result.Diagnostics : throw new InvalidOperationException("The generator threw.", Result.Exception);

    /// <summary>What the compiler says of source and output together, warnings included.</summary>
    public IReadOnlyList<Diagnostic> Compiled => Compilation.GetDiagnostics().Where(static one => one.Severity >= DiagnosticSeverity.Warning).ToList();

    /// <summary>What the analyzers say of the source.</summary>
    public async Task<ImmutableArray<Diagnostic>> AnalyzedAsync(CancellationToken cancellationToken) =>
        await Compilation.WithAnalyzers([new UnmarkedBlockingAnalyzer(), new StaticMethodAnalyzer(), new ClientAnalyzer(), new UnmarkedImplementationAnalyzer(), new UnwrittenTextAnalyzer()], options: null).GetAnalyzerDiagnosticsAsync(cancellationToken);

    /// <summary>One file of the output.</summary>
    public string Text(string file) => Result.GeneratedSources.Single(one => one.HintName == file).SourceText.ToString();

    /// <summary>The output as another compilation refers to it.</summary>
    public MetadataReference Reference()
    {
        using var bytes = new MemoryStream();
        var emitted = Compilation.Emit(bytes);
        return emitted.Success ? MetadataReference.CreateFromImage(bytes.ToArray()) : throw new InvalidOperationException(string.Join('\n', emitted.Diagnostics));
    }

    /// <summary>The catalog of the compiled and loaded assembly; source and output must compile without a warning.</summary>
    public ServiceCatalog LoadCatalog()
    {
        if (Reported.Length > 0 || Compiled.Count > 0)
        {
            throw new InvalidOperationException(string.Join('\n', Reported.Concat(Compiled)));
        }

        var catalog = Load().GetCustomAttribute<WeirCatalogAttribute>()!.Catalog;
        return (ServiceCatalog)catalog.GetProperty("Instance", BindingFlags.Public | BindingFlags.Static)!.GetValue(null)!;
    }

    /// <summary>Compiles and loads the assembly.</summary>
    public Assembly Load()
    {
        using var bytes = new MemoryStream();
        var emitted = Compilation.Emit(bytes);
        return emitted.Success ? Assembly.Load(bytes.ToArray()) : throw new InvalidOperationException(string.Join('\n', emitted.Diagnostics));
    }
}
