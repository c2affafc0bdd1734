using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing;

/// <summary>Finds what code cannot use without an error of the compiler, generated code included: what is obsolete as an error, or experimental.</summary>
internal static class UsageErrors
{
    /// <summary>How a symbol is marked, and what to do; <c>null</c> where generated code can use it.</summary>
    public static string? Of(Compilation compilation, ISymbol symbol)
    {
        if (symbol.Of("System", "ObsoleteAttribute") is { ConstructorArguments: { Length: 2 } arguments } && arguments[1].Value is true)
        {
            return "marked [Obsolete] as an error, which generated code cannot use either; remove 'true' from the attribute";
        }

        var isOther = symbol is ITypeSymbol { ContainingAssembly: { } assembly } && !SymbolEqualityComparer.Default.Equals(assembly, compilation.Assembly);
        var experimental = Experimental(symbol) ?? (isOther ? Experimental(symbol.ContainingAssembly!) : null);
        return experimental is not null && !IsAllowed(compilation, experimental)
            ? $"marked [Experimental(\"{experimental}\")], and generated code uses it too; add {experimental} to <NoWarn> of the project"
            : null;
    }

    /// <summary>The same for a type as it is written in code: with the types around it and its type arguments.</summary>
    public static string? OfType(Compilation compilation, ITypeSymbol type) => type switch
    {
        IArrayTypeSymbol array => OfType(compilation, array.ElementType),
        INamedTypeSymbol named => Of(compilation, named)
            ?? (named.ContainingType is { } container ? OfType(compilation, container) : null)
            ?? named.TypeArguments.Select(one => OfType(compilation, one)).FirstOrDefault(static one => one is not null),
        _ => null,
    };

    private static string? Experimental(ISymbol symbol) => symbol.Of("System.Diagnostics.CodeAnalysis", "ExperimentalAttribute")?.Text();

    private static bool IsAllowed(Compilation compilation, string id) =>
        (compilation.Options.SpecificDiagnosticOptions.TryGetValue(id, out var report)
            || compilation.Options.SyntaxTreeOptionsProvider?.TryGetGlobalDiagnosticValue(id, default, out report) == true)
        && report is not (ReportDiagnostic.Error or ReportDiagnostic.Default);
}
