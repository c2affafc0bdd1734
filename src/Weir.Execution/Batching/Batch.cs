using System.Runtime.CompilerServices;
using Weir.Execution.Batching;
using Weir.Runtime;

namespace Weir;

/// <summary>
/// Many calls of one client at once: started together, their results in the order in which the calls complete.
/// <code>
/// await foreach (var hashed in Batch.Of(hasher, blobs, static (hasher, blob) => hasher.Hash(blob)))
///     Console.WriteLine($"{hashed.Index}: {hashed.Result}");
/// </code>
/// </summary>
/// <remarks>
/// A pool takes the calls of a batch together: one lock for up to 64 of them, one write to each worker. On the lane and inline the calls
/// run as if each had been made separately.
/// </remarks>
public static class Batch
{
    // An async lambda fits several of the overloads: the one that keeps the result and adds the least around the call has priority.

    /// <summary>
    /// Calls an operation for every item, 512 at a time; where a queue is full the calls wait, like every call from code. The calls are
    /// made while the results are enumerated, on the enumerating flow; a failure affects its own call only. When the enumeration stops early
    /// or its token is cancelled, the calls in progress are cancelled, and the enumeration ends after they have completed.
    /// </summary>
    /// <typeparam name="TClient">The service's interface, or the generated <c>I{Class}Client</c>.</typeparam>
    /// <typeparam name="TItem">The type of the items; each call is made from one.</typeparam>
    /// <typeparam name="T">The result's type.</typeparam>
    /// <param name="client">A proxy from the container or <see cref="WorkerPool.GetProxy{T}"/>. Any other object of its type works too; then its calls start one by one.</param>
    /// <param name="items">Read as the calls are made; must stay unchanged until the enumeration ends.</param>
    /// <param name="call">Makes the call of one item, with the client that is passed to it; best a <c>static</c> lambda.</param>
    /// <param name="cancellationToken">Cancels the enumeration and all calls of the batch except those with another token.</param>
    /// <returns>One result per item, to be enumerated once, by one flow.</returns>
    public static IAsyncEnumerable<BatchResult<T>> Of<TClient, TItem, T>(
        TClient client, IReadOnlyList<TItem> items, Func<TClient, TItem, ValueTask<T>> call, CancellationToken cancellationToken = default)
        where TClient : class
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(items);
        ArgumentNullException.ThrowIfNull(call);
        BatchInvoker? invoker = null;
        if (client is IProxy proxy)
        {
            invoker = new BatchInvoker(proxy.Invoker, cancellationToken);
            client = (TClient)proxy.Over(invoker);
        }

        return new BatchEnumerable<T>(items.Count, index => call(client, items[index]), invoker, cancellationToken);
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
        return Of(client, items, (client, item) => WithoutResult(call(client, item)), cancellationToken);
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

    private static async ValueTask<NoResult> WithoutResult(ValueTask call)
    {
        await call.ConfigureAwait(false);
        return default;
    }
}
