using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parser;

/// <summary>Decides where an operation runs: the method's word, else the class's.</summary>
internal sealed class PlacementParser(INamedTypeSymbol type, string service, Findings findings)
{
    private readonly AttributeData? _isolated = type.Inherited("IsolatedAttribute");
    private readonly AttributeData? _blocking = type.Inherited("BlockingAttribute");

    /// <summary>The placement's name and the pool.</summary>
    public (string Placement, string? Pool) Parse(string operation, IMethodSymbol? method, ResultModel result)
    {
        var isolated = method?.Inherited("IsolatedAttribute");
        var blocking = method?.Inherited("BlockingAttribute");
        if ((blocking is not null && (isolated ?? _isolated) is not null) || (method is not null && isolated is null && blocking is null && _isolated is not null && _blocking is not null))
        {
            findings.Report(WeirCodes.BlockingShape, (blocking ?? _blocking)!.Place(method!), operation, "a worker process is its own thread already; remove [Blocking] or [Isolated]");
        }
        else if ((blocking ?? (isolated is null ? _blocking : null)) is { } wrong && !result.IsSynchronous)
        {
            findings.Report(WeirCodes.BlockingShape, blocking?.Place(method!) ?? method?.Locations.FirstOrDefault() ?? wrong.Place(type), operation, "[Blocking] fits a synchronous method, and this one returns before it is done; remove [Blocking], or make the method synchronous");
        }

        if ((isolated ?? _isolated) is { } attribute)
        {
            return ("Isolated", attribute.Text() ?? service);
        }

        return (blocking is not null || _blocking is not null || result.Shape == MethodShape.BlockingStream ? "Lane" : "Inline", null);
    }
}
