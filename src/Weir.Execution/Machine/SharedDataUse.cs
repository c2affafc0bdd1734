namespace Weir.Execution.Machine;

/// <summary>A process that holds shared data.</summary>
/// <param name="Name">The name that operations use.</param>
/// <param name="Bytes">How many bytes it has.</param>
/// <param name="Memory">The same for all who hold the same bytes.</param>
/// <param name="ProcessId">An application, or a worker.</param>
internal sealed record SharedDataUse(string Name, long Bytes, string Memory, int ProcessId);
