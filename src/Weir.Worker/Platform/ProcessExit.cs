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

        End(0, isRehearsal: true);
    }

    public void Leave(int code) => Environment.Exit(code);

    public void Abort(int code) => End(code, isRehearsal: false);

    private void End(int code, bool isRehearsal)
    {
        if (isRehearsal)
        {
            return;
        }

        if (_exitNow is not null)
        {
            _exitNow(code);
        }

        Environment.FailFast($"A Weir worker ends with {code}: its host has left.");
    }
}
