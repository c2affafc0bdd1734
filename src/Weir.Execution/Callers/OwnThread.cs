namespace Weir.Execution;

/// <summary>
/// Calls from a thread of one's own, which waits for each: without the detour over the thread pool that an <c>await</c> takes
/// when a call ends, and without ever blocking a thread that others need.
/// </summary>
public static class OwnThread
{
    /// <summary>
    /// Gives a client whose calls are waited for by the thread that makes them: the task that it gives has ended, so that
    /// <c>Result</c> gives the result, or throws, at once. The thread polls for about 50 µs and then sleeps. Streams stay
    /// asynchronous. May be used concurrently.
    /// </summary>
    /// <remarks>
    /// A call from a thread of the thread pool throws <see cref="InvalidOperationException"/>: what everybody's continuations run
    /// on must not wait. A thread of one's own is a <see cref="Thread"/>, a task with
    /// <see cref="TaskCreationOptions.LongRunning"/>, or the lane, where <c>[Blocking]</c> operations run.
    /// </remarks>
    /// <typeparam name="T">The service's interface, or the generated <c>I{Class}Client</c>.</typeparam>
    /// <param name="client">What the container or <see cref="WorkerPool.GetProxy{T}"/> gave.</param>
    /// <exception cref="ArgumentException">The client is no generated proxy.</exception>
    public static T Client<T>(T client)
        where T : class =>
        client is IProxy proxy
            ? (T)proxy.Over(new WaitingInvoker(proxy.Invoker))
            : throw new ArgumentException($"{client?.GetType().ToString() ?? "null"} is no generated proxy; give the client that the container or GetProxy gave.", nameof(client));
}
