using System.Diagnostics.CodeAnalysis;

namespace Weir.Runtime;

/// <summary>Runs calls from code: what typed proxies stand on. May be used concurrently.</summary>
[SuppressMessage("Reliability", "CA2012", Justification = "Each way takes the task once.")]
public abstract class CallInvoker
{
    /// <summary>Runs a call to its ending.</summary>
    /// <param name="call">Its arguments are set.</param>
    /// <param name="cancellationToken">Ends the call for its caller at once.</param>
    /// <exception cref="WeirException">The call ended otherwise than well.</exception>
    /// <exception cref="OperationCanceledException">The token fired.</exception>
    public abstract ValueTask RunAsync(Call call, CancellationToken cancellationToken);

    /// <summary>Runs a streamed call; nothing starts before the first item is asked for.</summary>
    /// <typeparam name="T">The item's type.</typeparam>
    /// <param name="call">Its arguments are set.</param>
    /// <param name="cancellationToken">Ends the stream for its caller at once.</param>
    public abstract IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, CancellationToken cancellationToken);

    /// <summary>Runs a call, gives its result, and gives the call back if it was rented.</summary>
    /// <typeparam name="T">The result's type.</typeparam>
    /// <param name="call">Its arguments are set. Not to be used afterwards.</param>
    /// <param name="cancellationToken">Ends the call for its caller at once.</param>
    /// <exception cref="WeirException">The call ended otherwise than well.</exception>
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

            // Mostly the task is the call itself, and then nothing stands between it and whoever awaits.
            return call.IsEnding(running) ? new ValueTask<T>(call, call.ReturnWhenTaken()) : FollowAsync(running, call);
        }
        catch (Exception failure)
        {
            // It belongs into the task, wherever it was thrown.
            return FollowAsync(ValueTask.FromException(failure), call);
        }
    }

    /// <summary>Runs a call that has no result, and gives it back if it was rented.</summary>
    /// <param name="call">Its arguments are set. Not to be used afterwards.</param>
    /// <param name="cancellationToken">Ends the call for its caller at once.</param>
    /// <exception cref="WeirException">The call ended otherwise than well.</exception>
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

            return call.IsEnding(running) ? new ValueTask(call, call.ReturnWhenTaken()) : FollowAsync(running, call);
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
