namespace Weir.ReportLibrary;

/// <summary>An isolated class that takes a service with the lifetime of a call.</summary>
[Service, Isolated("reports")]
public sealed class Scopes(Scoped scoped)
{
    public int Number() => scoped.Number;

    /// <summary>The number of the service that was disposed last.</summary>
    public int Disposed() => Scoped.LastDisposed;
}

/// <summary>A service that knows when its scope ends.</summary>
public sealed class Scoped : IDisposable
{
    private static int _made;
    private static int _disposed;

    internal static int LastDisposed => Volatile.Read(ref _disposed);

    internal int Number { get; } = Interlocked.Increment(ref _made);

    public void Dispose() => Volatile.Write(ref _disposed, Number);
}
