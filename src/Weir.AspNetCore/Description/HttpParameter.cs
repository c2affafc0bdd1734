namespace Weir.AspNetCore.Description;

/// <summary>Where a request has the value of a parameter.</summary>
internal enum HttpParameterSource
{
    /// <summary>In the path.</summary>
    Path,

    /// <summary>In the query.</summary>
    Query,

    /// <summary>In a header.</summary>
    Header,

    /// <summary>In the body, which is this value, or has it as a member.</summary>
    Body,
}

/// <summary>A parameter of one operation at one path for one verb.</summary>
/// <param name="Name">As clients write it.</param>
/// <param name="Source">Where a request has its value.</param>
/// <param name="Type">The type that describes its value: <see cref="string"/> where it is text that its type parses, and for a route value that the operation does not take.</param>
/// <param name="TypeName">The type as C# writes it.</param>
/// <param name="IsRequired">Whether a request must have it.</param>
internal sealed record HttpParameter(string Name, HttpParameterSource Source, Type Type, string TypeName, bool IsRequired)
{
    /// <summary>The value of a request without it; <c>null</c> for none.</summary>
    internal object? Default { get; init; }

    /// <summary>What its documentation comment says; <c>null</c> without one.</summary>
    internal string? Summary { get; init; }
}
