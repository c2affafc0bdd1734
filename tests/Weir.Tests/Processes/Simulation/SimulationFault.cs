namespace Weir.Tests.Processes.Simulation;

/// <summary>Something that must hold did not.</summary>
internal sealed class SimulationFault(string rule, string detail) : Exception($"{rule}: {detail}")
{
    /// <summary>What must hold.</summary>
    public string Rule { get; } = rule;
}
