namespace Weir.Generator.Model;

/// <summary>One path at which an operation is served.</summary>
/// <param name="Verbs">An expression.</param>
/// <param name="Template">Without slashes around it.</param>
internal sealed record RouteModel(string Verbs, string Template);
