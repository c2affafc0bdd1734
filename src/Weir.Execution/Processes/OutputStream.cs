namespace Weir.Execution.Processes;

/// <summary>The stream on which a worker printed a line.</summary>
internal enum OutputStream
{
    Standard,
    Error,
}
