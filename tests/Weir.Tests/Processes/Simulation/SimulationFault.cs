namespace Weir.Tests.Processes.Simulation;

/// <summary>A rule of the simulation was violated.</summary>
internal sealed class SimulationFault(string rule, string detail) : Exception($"{rule}: {detail}")
{
    /// <summary>The rule that was violated.</summary>
    public string Rule { get; } = rule;
}
