namespace Weir.Worker.Platform;

/// <summary>Ends the worker's process. In a test nothing ends, and the callers return.</summary>
internal interface IProcessExit
{
    /// <summary>After a drain: handlers of the process's exit run.</summary>
    void Exit(int code);

    /// <summary>At once, whatever runs: no handler, finalizer or lock of user code can delay it.</summary>
    void Abort(int code);
}
