using System.Runtime.InteropServices;

namespace Weir.Worker.Platform;

/// <summary>Ends this process.</summary>
internal sealed unsafe class ProcessExit : IProcessExit
{
    // Looked up and compiled before it is needed: without memory neither can be done any more.
    private readonly delegate* unmanaged<int, void> _exitNow;

    public ProcessExit()
    {
        if (OperatingSystem.IsLinux())
        {
            _exitNow = (delegate* unmanaged<int, void>)NativeLibrary.GetExport(NativeLibrary.Load("libc", typeof(ProcessExit).Assembly, null), "_exit");
        }

        End(0, isWarmUp: true);
    }

    public void Exit(int code) => Environment.Exit(code);

    public void Abort(int code) => End(code, isWarmUp: false);

    private void End(int code, bool isWarmUp)
    {
        if (isWarmUp)
        {
            return;
        }

        if (_exitNow is not null)
        {
            _exitNow(code);
        }

        Environment.FailFast($"A Weir worker ends with {code}: its host is gone.");
    }
}
