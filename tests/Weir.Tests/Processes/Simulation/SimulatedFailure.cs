namespace Weir.Tests.Processes.Simulation;

/// <summary>A failure that was injected, as if there were no memory.</summary>
internal sealed class SimulatedFailure() : Exception("injected");
