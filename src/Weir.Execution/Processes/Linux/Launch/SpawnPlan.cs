using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>The input of posix_spawn: the program, and which of the host's descriptors become 1 and up of the worker.</summary>
/// <param name="Request">The program, its arguments, environment and directory.</param>
/// <param name="Output">Becomes 1.</param>
/// <param name="Error">Becomes 2.</param>
/// <param name="Data">Becomes 3.</param>
/// <param name="Control">Becomes 4.</param>
/// <param name="SharedMemory">Becomes 5; with <c>null</c>, 5 stays closed, unless there is shared data: then it is <c>/dev/null</c>.</param>
/// <param name="SharedData">Become 6 and up.</param>
internal sealed record SpawnPlan(LaunchRequest Request, Descriptor Output, Descriptor Error, Descriptor Data, Descriptor Control, Descriptor? SharedMemory, IReadOnlyList<Descriptor> SharedData);
