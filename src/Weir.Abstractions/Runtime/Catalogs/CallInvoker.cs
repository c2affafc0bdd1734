using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;

namespace Weir.Runtime;

/// <summary>Runs calls from code: the base of typed proxies. May be used concurrently.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
[SuppressMessage("Reliability", "CA2012", Justification = "Each way takes the task once.")]
public abstract class CallInvoker
{
    /// <summary>Runs a call until it completes.</summary>
    /// <param name="call">Its arguments are set.</param>
    /// <param name="cancellationToken">Cancels the call; its caller gets the cancellation at once.</param>
    /// <exception cref="WeirException">The call failed.</exception>
    /// <exception cref="OperationCanceledException">The token fired.</exception>
    public abstract ValueTask RunAsync(Call call, CancellationToken cancellationToken);

    /// <summary>Runs a streamed call; nothing starts before the first item is requested.</summary>
    /// <typeparam name="T">The item's type.</typeparam>
    /// <param name="call">Its arguments are set.</param>
    /// <param name="cancellationToken">Cancels the stream; its caller gets the cancellation at once.</param>
    public abstract IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, CancellationToken cancellationToken);

    /// <summary>Runs a call, returns its result, and returns the call to its pool if it was rented.</summary>
    /// <typeparam name="T">The result's type.</typeparam>
    /// <param name="call">Its arguments are set. Not to be used afterwards.</param>
    /// <param name="cancellationToken">Cancels the call; its caller gets the cancellation at once.</param>
    /// <exception cref="WeirException">The call failed.</exception>
    /// <exception cref="OperationCanceledException">The token fired.</exception>
    public ValueTask<T> InvokeAsync<T>(Call<T> call, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(call);
        try
        {
            var running = RunAsync(call, cancellationToken);
            if (running.IsCompletedSuccessfully)
            {
                running.GetAwaiter().GetResult();
                return new ValueTask<T>(call.Take());
            }

            // Usually the task is the call itself, and then nothing stands between it and the code that awaits.
            return call.IsCompletionOf(running) ? new ValueTask<T>(call, call.ReturnWhenTaken()) : FollowAsync(running, call);
        }
        catch (Exception failure)
        {
            // It belongs in the task, wherever it was thrown.
            return FollowAsync(ValueTask.FromException(failure), call);
        }
    }

    /// <summary>Runs a call that has no result, and returns it to its pool if it was rented.</summary>
    /// <param name="call">Its arguments are set. Not to be used afterwards.</param>
    /// <param name="cancellationToken">Cancels the call; its caller gets the cancellation at once.</param>
    /// <exception cref="WeirException">The call failed.</exception>
    /// <exception cref="OperationCanceledException">The token fired.</exception>
    public ValueTask InvokeAsync(VoidCall call, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(call);
        try
        {
            var running = RunAsync(call, cancellationToken);
            if (running.IsCompletedSuccessfully)
            {
                running.GetAwaiter().GetResult();
                call.Return();
                return default;
            }

            return call.IsCompletionOf(running) ? new ValueTask(call, call.ReturnWhenTaken()) : FollowAsync(running, call);
        }
        catch (Exception failure)
        {
            return FollowAsync(ValueTask.FromException(failure), call);
        }
    }

    private static async ValueTask<T> FollowAsync<T>(ValueTask running, Call<T> call)
    {
        await running.ConfigureAwait(false);
        return call.Take();
    }

    private static async ValueTask FollowAsync(ValueTask running, VoidCall call)
    {
        await running.ConfigureAwait(false);
        call.Return();
    }
}
