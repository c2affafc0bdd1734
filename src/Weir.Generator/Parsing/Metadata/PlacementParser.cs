using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Metadata;

/// <summary>Decides where an operation runs: by the method's attribute, otherwise the class's.</summary>
internal sealed class PlacementParser(INamedTypeSymbol type, string service, Findings findings)
{
    private const string Both = "it runs in a worker, so it does not block a thread of the host; remove [Blocking] or [Isolated]";
    private const string Asynchronous = "[Blocking] is for synchronous methods, and this one returns before its work is complete; remove [Blocking], or make the method synchronous";

    private const string Waiting = "it waits for the items of its request on the thread that calls it; make it asynchronous, or mark it [Blocking] to let it wait on a thread of the lane";

    private readonly AttributeData? _isolated = type.Inherited("IsolatedAttribute");
    private readonly AttributeData? _blocking = type.Inherited("BlockingAttribute");

    /// <summary>Reports a class with both attributes.</summary>
    public static void CheckClass(INamedTypeSymbol type, Findings findings)
    {
        if (type.Inherited("IsolatedAttribute") is not null && type.Inherited("BlockingAttribute") is { } blocking)
        {
            findings.Report(WeirCodes.BlockingShape, blocking.Place(type), type.Name, Both);
        }
    }

    /// <summary>The placement's name and the pool.</summary>
    public (string Placement, string? Pool) Parse(string operation, IMethodSymbol? method, ResultModel result, bool streamsRequest)
    {
        var isolated = method?.Inherited("IsolatedAttribute");
        var blocking = method?.Inherited("BlockingAttribute");
        if (blocking is not null && (isolated ?? _isolated) is not null)
        {
            findings.Report(WeirCodes.BlockingShape, blocking.Place(method!), operation, Both);
        }
        else if ((blocking ?? (isolated is null ? _blocking : null)) is not null && !result.IsSynchronous)
        {
            findings.Report(WeirCodes.BlockingShape, blocking?.Place(method!) ?? (method ?? (ISymbol)type).Locations.FirstOrDefault(), operation, Asynchronous);
        }

        if ((isolated ?? _isolated) is { } attribute)
        {
            return ("Isolated", attribute.Text() ?? service);
        }

        var isLane = blocking is not null || _blocking is not null || result.Shape == MethodShape.BlockingStream;
        if (streamsRequest && result.IsSynchronous && !isLane)
        {
            findings.Report(WeirCodes.BlockingShape, method ?? (ISymbol)type, operation, Waiting);
        }

        return (isLane ? "Lane" : "Inline", null);
    }
}
