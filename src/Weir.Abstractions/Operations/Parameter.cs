namespace Weir;

/// <summary>A parameter that callers supply; tokens, contexts and services are not among them.</summary>
/// <param name="Name">As declared; callers from code use it, and workers read it.</param>
/// <param name="TypeName">The type as C# writes it, for people.</param>
/// <param name="Source">Where its value comes from.</param>
/// <param name="IsOptional">Whether it may be absent.</param>
public sealed record Parameter(string Name, string TypeName, ParameterSource Source, bool IsOptional)
{
    /// <summary>The name that callers write over HTTP, in any case; by default <see cref="Name"/>.</summary>
    public string WireName { get; init; } = Name;

    /// <summary>Whether text may be sent several times for it.</summary>
    public bool IsList { get; init; }

    /// <summary>Whether its value, or each value of a list, is text that its type parses (<c>IParsable&lt;T&gt;</c>, or a static <c>TryParse</c>), wherever a request has it.</summary>
    public bool IsParsed { get; init; }

    /// <summary>
    /// Returns the type as declared, for descriptions; of a streamed request <c>IAsyncEnumerable&lt;T&gt;</c>. Always set by generated code. A
    /// method, so that a worker never loads the types of operations that run in the host.
    /// </summary>
    public Func<Type>? Type { get; init; }

    /// <summary>The declared default; <c>null</c> where there is none, or where it is null.</summary>
    public object? DefaultValue { get; init; }
}
