using System.Runtime.CompilerServices;

namespace Weir.Execution;

/// <summary>
/// Many calls of one client at once: sent together, their results in the order in which they end.
/// <code>
/// await foreach (var hashed in Batch.Of(hasher, blobs, static (hasher, blob) => hasher.Hash(blob)))
///     Console.WriteLine($"{hashed.Index}: {hashed.Result}");
/// </code>
/// </summary>
/// <remarks>
/// A pool gets the calls of a batch in one piece: one lock, one flush per worker, and its answers wake the caller once for as
/// many as have come. On the lane and inline the calls run as if each had been made by itself.
/// </remarks>
public static class Batch
{
    // An async lambda fits several of them: the one that keeps the result and the least between it and the call comes first.

    /// <summary>
    /// Calls an operation for every item, 256 at a time, waiting for room like any caller from code. The calls are made while the
    /// results are enumerated, on the enumerating flow; a failure ends its own call only. Who stops early, or whose token fires,
    /// cancels what is under way and waits until it has ended.
    /// </summary>
    /// <typeparam name="TClient">The service's interface, or the generated <c>I{Class}Client</c>.</typeparam>
    /// <typeparam name="TItem">What a call is made from.</typeparam>
    /// <typeparam name="T">The result's type.</typeparam>
    /// <param name="client">What the container or <see cref="WorkerPool.GetProxy{T}"/> gave. Anything else of its type works as well, one call after the other being made.</param>
    /// <param name="items">Read as the calls are made; must stay unchanged until the enumeration ends.</param>
    /// <param name="call">Makes the call of one item, of the client it is given; best a <c>static</c> lambda.</param>
    /// <param name="cancellationToken">Ends the enumeration and all calls of the batch but those that were given another token.</param>
    /// <returns>One result per item, to be enumerated once, by one flow.</returns>
    public static IAsyncEnumerable<BatchResult<T>> Of<TClient, TItem, T>(
        TClient client, IReadOnlyList<TItem> items, Func<TClient, TItem, ValueTask<T>> call, CancellationToken cancellationToken = default)
        where TClient : class
    {
        ArgumentNullException.ThrowIfNull(call);
        var calls = new HeldClient<TClient>(client, cancellationToken);
        return new BatchCalls<T>(Count(items), calls.Invoker, batch => new ValueSlot<TClient, TItem, T>(batch, calls, items, call), cancellationToken);
    }

    /// <inheritdoc cref="Of{TClient, TItem, T}(TClient, IReadOnlyList{TItem}, Func{TClient, TItem, ValueTask{T}}, CancellationToken)"/>
    [OverloadResolutionPriority(-1)]
    public static IAsyncEnumerable<BatchResult<T>> Of<TClient, TItem, T>(
        TClient client, IReadOnlyList<TItem> items, Func<TClient, TItem, Task<T>> call, CancellationToken cancellationToken = default)
        where TClient : class
    {
        ArgumentNullException.ThrowIfNull(call);
        return Of(client, items, (client, item) => new ValueTask<T>(call(client, item)), cancellationToken);
    }

    /// <inheritdoc cref="Of{TClient, TItem, T}(TClient, IReadOnlyList{TItem}, Func{TClient, TItem, ValueTask{T}}, CancellationToken)"/>
    [OverloadResolutionPriority(-2)]
    public static IAsyncEnumerable<BatchResult<NoResult>> Of<TClient, TItem>(
        TClient client, IReadOnlyList<TItem> items, Func<TClient, TItem, ValueTask> call, CancellationToken cancellationToken = default)
        where TClient : class
    {
        ArgumentNullException.ThrowIfNull(call);
        var calls = new HeldClient<TClient>(client, cancellationToken);
        return new BatchCalls<NoResult>(Count(items), calls.Invoker, batch => new VoidSlot<TClient, TItem>(batch, calls, items, call), cancellationToken);
    }

    /// <inheritdoc cref="Of{TClient, TItem, T}(TClient, IReadOnlyList{TItem}, Func{TClient, TItem, ValueTask{T}}, CancellationToken)"/>
    [OverloadResolutionPriority(-3)]
    public static IAsyncEnumerable<BatchResult<NoResult>> Of<TClient, TItem>(
        TClient client, IReadOnlyList<TItem> items, Func<TClient, TItem, Task> call, CancellationToken cancellationToken = default)
        where TClient : class
    {
        ArgumentNullException.ThrowIfNull(call);
        return Of(client, items, (client, item) => new ValueTask(call(client, item)), cancellationToken);
    }

    private static int Count<TItem>(IReadOnlyList<TItem> items)
    {
        ArgumentNullException.ThrowIfNull(items);
        return items.Count;
    }
}
