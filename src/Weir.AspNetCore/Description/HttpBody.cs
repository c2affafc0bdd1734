namespace Weir.AspNetCore.Description;

/// <summary>What the body of a request is.</summary>
internal enum HttpBodyKind
{
    /// <summary>An object with one member for each parameter, or a form with the same names.</summary>
    Members,

    /// <summary>One parameter.</summary>
    Value,

    /// <summary>The bytes of one parameter.</summary>
    Bytes,

    /// <summary>The items of one parameter: a JSON array, or one item in each line.</summary>
    Items,
}

/// <summary>The body of a request.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Parameters">The parameters that it holds; one, unless it has members.</param>
/// <param name="MediaTypes">What a client may send, the usual one first.</param>
internal sealed record HttpBody(HttpBodyKind Kind, IReadOnlyList<HttpParameter> Parameters, IReadOnlyList<string> MediaTypes)
{
    /// <summary>Whether a request must have a form, also where no member of it is required: a list of files is empty only in a form.</summary>
    internal bool NeedsForm { get; init; }

    /// <summary>Whether a request must have it.</summary>
    internal bool IsRequired => NeedsForm || Parameters.Any(static one => one.IsRequired);
}
