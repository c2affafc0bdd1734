namespace Weir;

/// <summary>Runs calls from code: what typed proxies stand on. May be used concurrently.</summary>
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

    /// <summary>Runs a call and gives its result.</summary>
    /// <typeparam name="T">The result's type.</typeparam>
    /// <param name="call">Its arguments are set.</param>
    /// <param name="cancellationToken">Ends the call for its caller at once.</param>
    /// <exception cref="WeirException">The call ended otherwise than well.</exception>
    /// <exception cref="OperationCanceledException">The token fired.</exception>
    public async ValueTask<T> InvokeAsync<T>(Call<T> call, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(call);
        await RunAsync(call, cancellationToken).ConfigureAwait(false);
        return call.Value;
    }
}
