namespace Weir.Generator.Pipeline;

/// <summary>One file of the output.</summary>
/// <param name="Name">Its name, distinct also if case is ignored; <c>null</c> where there is nothing to write.</param>
/// <param name="Text">Its text.</param>
internal sealed record GeneratedFile(string? Name, string Text)
{
    public static GeneratedFile None { get; } = new(null, "");
}
