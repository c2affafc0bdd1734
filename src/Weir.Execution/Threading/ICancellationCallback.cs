namespace Weir.Execution.Threading;

/// <summary>An object that is notified when a token is cancelled, for <see cref="Callbacks.Register(ICancellationCallback, CancellationToken)"/>.</summary>
internal interface ICancellationCallback
{
    /// <summary>The token was cancelled. On the thread that cancelled it.</summary>
    void OnCancelled();

    /// <summary>Handles what <see cref="OnCancelled"/> throws.</summary>
    void OnCancelFailed(Exception failure);
}
