namespace Weir.Execution.Threading;

/// <summary>
/// A value that is created by its first use. Unlike <see cref="Lazy{T}"/> it does not remember that its creation failed: the resource
/// that was missing, a descriptor or a thread, may be available at the next use. Any thread.
/// </summary>
/// <param name="create">Creates it; not called again once it has returned.</param>
internal sealed class RetryingLazy<T>(Func<T> create)
    where T : class
{
    private readonly Lock _gate = new();
    private volatile T? _value;

    public T Value => _value ?? Create();

    private T Create()
    {
        lock (_gate)
        {
            return _value ??= create();
        }
    }
}
