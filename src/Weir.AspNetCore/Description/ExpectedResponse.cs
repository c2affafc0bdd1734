namespace Weir.AspNetCore.Description;

/// <summary>A response that a client must expect.</summary>
/// <param name="Status">The HTTP status.</param>
/// <param name="Type">The type of its body; <c>null</c> for none.</param>
/// <param name="MediaTypes">Those of its body, the preferred one first; empty without a body.</param>
internal sealed record ExpectedResponse(int Status, Type? Type, IReadOnlyList<string> MediaTypes)
{
    /// <summary>What it means; <c>null</c> for what the status means.</summary>
    internal string? Summary { get; init; }
}
