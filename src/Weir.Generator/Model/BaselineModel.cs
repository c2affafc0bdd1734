namespace Weir.Generator.Model;

/// <summary>The contract that a project has accepted: the file <c>weir.contract.json</c>.</summary>
/// <param name="Text">Its text.</param>
internal sealed record BaselineModel(string Text);
