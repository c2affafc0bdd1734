namespace Weir.Worker.Platform;

/// <summary>How a worker's process ends. In a test nothing ends, and the callers return.</summary>
internal interface IProcessExit
{
    /// <summary>After a drain: whoever waits for the process's exit in it is heard.</summary>
    void Leave(int code);

    /// <summary>At once, whatever runs: no handler, finalizer or lock of the user's can hold it.</summary>
    void Abort(int code);
}
