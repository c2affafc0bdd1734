namespace Weir.AspNetCore.Streaming;

/// <summary>A stream that is being sent, for the report of a host that stops. Disposed when its response has ended.</summary>
/// <param name="report">Knows all of them.</param>
/// <param name="operation">The operation.</param>
/// <param name="began">When it began, by the clock's timestamp.</param>
/// <param name="isMovable">Whether a host that stops ends it at once, because its reader continues elsewhere.</param>
internal sealed class RunningStream(ShutdownReport report, Operation operation, long began, bool isMovable) : IDisposable
{
    internal Operation Operation => operation;

    internal long Began => began;

    internal bool IsMovable => isMovable;

    public void Dispose() => report.Remove(this);
}
