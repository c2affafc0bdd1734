using Weir.Worker.Session;

namespace Weir.Worker.Platform;

/// <summary>Ends this process.</summary>
internal sealed class ProcessEnd : IProcessEnd
{
    public void Leave(int code) => Environment.Exit(code);

    public void Abort(int code)
    {
        if (OperatingSystem.IsLinux())
        {
            LibC.ExitNow(code);
        }

        Environment.FailFast($"A Weir worker ends with {code}: its host has left.");
    }
}
