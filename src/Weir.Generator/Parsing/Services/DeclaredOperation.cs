using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Services;

/// <summary>An operation as its contract declares it: what callers see, before it is known which class or worker runs it.</summary>
/// <param name="Method">The method of the interface, or of a class without one.</param>
/// <param name="Name">In paths.</param>
/// <param name="Verbs">An expression.</param>
/// <param name="Result">What it returns.</param>
/// <param name="Parameters">The parameters that callers supply.</param>
/// <param name="IsIdempotent">Whether running it twice does no harm.</param>
/// <param name="Throws">The exceptions it declares.</param>
/// <param name="Routes">Where it is served; empty for <c>Service/Operation</c>.</param>
internal sealed record DeclaredOperation(
    IMethodSymbol Method,
    string Name,
    string Verbs,
    ResultModel Result,
    EquatableArray<ParameterModel> Parameters,
    bool IsIdempotent,
    EquatableArray<ThrowsModel> Throws,
    EquatableArray<RouteModel> Routes)
{
    /// <summary>What callers send and receive, as the contract has it.</summary>
    public string Shape { get; init; } = "";

    /// <summary>The hash of that and of the types that it uses.</summary>
    public ulong Signature { get; init; }

    /// <summary>The name of a value of <c>Weir.Resumption</c>.</summary>
    public string Resumption { get; init; } = "None";

    /// <summary>How its calls run as jobs; <c>null</c> where they are none.</summary>
    public JobModel? Job { get; init; }
}
