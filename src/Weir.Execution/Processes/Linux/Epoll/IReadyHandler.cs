namespace Weir.Execution.Processes.Linux.Epoll;

/// <summary>Is told on the attendant's thread that a descriptor is ready. Never blocks, never runs user code.</summary>
internal interface IReadyHandler
{
    /// <summary>The descriptor is ready; called again until that has changed or the watch is removed.</summary>
    void OnReady(Readiness ready);

    /// <summary><see cref="OnReady"/> threw; the watch is removed already.</summary>
    void OnFault(Exception failure);
}
