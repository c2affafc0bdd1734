namespace Weir.Execution.Processes.Linux.Epoll;

/// <summary>Called on the epoll loop's thread when a descriptor is ready. Never blocks, never runs user code.</summary>
internal interface IReadyHandler
{
    /// <summary>The descriptor is ready; called again until that has changed or the registration is removed.</summary>
    void OnReady(Readiness ready);

    /// <summary><see cref="OnReady"/> threw; the registration is removed already.</summary>
    void OnFailure(Exception failure);
}
