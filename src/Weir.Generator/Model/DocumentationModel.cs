namespace Weir.Generator.Model;

/// <summary>The text of a documentation comment, without its tags; <c>null</c> for what it does not have.</summary>
/// <param name="Summary">What it is.</param>
/// <param name="Remarks">More about it.</param>
/// <param name="Returns">What a method returns.</param>
/// <param name="Parameters">About the parameters of a method.</param>
internal sealed record DocumentationModel(string? Summary, string? Remarks, string? Returns, EquatableArray<ParameterDocumentation> Parameters);

/// <summary>What a documentation comment says about a parameter.</summary>
/// <param name="Name">As declared.</param>
/// <param name="Text">Not empty.</param>
internal sealed record ParameterDocumentation(string Name, string Text);
