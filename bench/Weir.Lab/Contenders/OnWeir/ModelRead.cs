namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The first read of a model in a worker.</summary>
/// <param name="ProcessId">Of the worker.</param>
/// <param name="Milliseconds">How long it took, from the beginning of the call.</param>
/// <param name="Length">Of the model, in bytes.</param>
public sealed record ModelRead(int ProcessId, double Milliseconds, long Length);
