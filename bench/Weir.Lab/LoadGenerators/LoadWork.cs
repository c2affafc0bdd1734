namespace Weir.Lab.LoadGenerators;

/// <summary>What a load generator is asked to do.</summary>
/// <param name="Address">Where requests go.</param>
/// <param name="Connections">How many connections it opens.</param>
/// <param name="Seconds">For how long it measures; not all tools take fractions.</param>
/// <param name="Rate">Requests per second over all connections; null for as many as are answered.</param>
internal sealed record LoadWork(Uri Address, int Connections, int Seconds, double? Rate = null);
