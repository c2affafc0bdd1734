namespace Weir.Execution.Processes;

/// <summary>Where a worker printed a line.</summary>
internal enum OutputStream
{
    Standard,
    Error,
}
