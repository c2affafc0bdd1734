namespace Weir;

/// <summary>What documents and tools show of an operation. Immutable.</summary>
public sealed class OperationDescription
{
    /// <summary>The type of the result, of a stream an array of its items; <c>null</c> for an operation that returns nothing.</summary>
    public Type? Result { get; init; }

    /// <summary>The type of the items of a stream; <c>null</c> for other results.</summary>
    public Type? Item { get; init; }

    /// <summary>The type of the result, of a stream of one item, as C# writes it; <c>null</c> for an operation that returns nothing.</summary>
    public string? ResultName { get; init; }

    /// <summary>The summary of the method's documentation comment; <c>null</c> without one.</summary>
    public string? Summary { get; init; }

    /// <summary>The remarks of the method's documentation comment; <c>null</c> without them.</summary>
    public string? Remarks { get; init; }

    /// <summary>What the method's documentation comment says about its result; <c>null</c> where it says nothing.</summary>
    public string? Returns { get; init; }

    /// <summary>What the method's documentation comment says about its parameters, by their names; only those about which it says something.</summary>
    public IReadOnlyDictionary<string, string> Parameters { get; init; } = new Dictionary<string, string>();
}
