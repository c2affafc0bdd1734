namespace Weir.Lab.Engine;

/// <summary>A contender that did not run, and why or what helps.</summary>
internal sealed record Absence(string Contender, string Reason);
