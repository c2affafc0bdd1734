namespace Weir;

/// <summary>One path at which an operation is served, and the verbs that it accepts there.</summary>
/// <param name="Verbs">At least one.</param>
/// <param name="Template">A template of ASP.NET Core routing, without the prefix of <c>MapWeir</c> and without slashes around it.</param>
public sealed record OperationRoute(Verbs Verbs, string Template);
