namespace Weir.Lab.Engine;

/// <summary>A contender that was there but broke, hung, or answered something else than the others.</summary>
internal sealed record Failure(string Contender, string Case, string Reason);
