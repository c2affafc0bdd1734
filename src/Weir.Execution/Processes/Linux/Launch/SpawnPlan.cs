using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>The input of posix_spawn: the program, and which of the host's descriptors become 1 to 5 of the worker.</summary>
/// <param name="Request">The program, its arguments, environment and directory.</param>
/// <param name="Output">Becomes 1.</param>
/// <param name="Error">Becomes 2.</param>
/// <param name="Data">Becomes 3.</param>
/// <param name="Control">Becomes 4.</param>
/// <param name="SharedMemory">Becomes 5; with <c>null</c>, 5 stays closed.</param>
internal sealed record SpawnPlan(LaunchRequest Request, Descriptor Output, Descriptor Error, Descriptor Data, Descriptor Control, Descriptor? SharedMemory);
