namespace Weir.Jobs.Running;

/// <summary>Something that is to be written, and who waits until it is.</summary>
/// <param name="what">What is handed to the store, and given back filled in.</param>
internal sealed class Pending<T>(T what) : TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously)
{
    public T What => what;

    /// <summary>It is durable.</summary>
    public void Complete() => TrySetResult(what);
}
