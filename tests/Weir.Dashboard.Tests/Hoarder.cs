using System.Runtime.InteropServices;

namespace Weir.Dashboard.Tests;

/// <summary>Keeps memory.</summary>
[Service]
public sealed class Hoarder
{
    /// <summary>As much as it is asked to, until its worker ends.</summary>
    /// <returns>The worker's process id.</returns>
    [Isolated("hoarding")]
    public unsafe int Keep(int megabytes)
    {
        for (var i = 0; i < megabytes; i++)
        {
            NativeMemory.Clear(NativeMemory.Alloc(1 << 20), 1 << 20);
        }

        return Environment.ProcessId;
    }
}
