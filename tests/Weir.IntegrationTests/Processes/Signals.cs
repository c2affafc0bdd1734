using System.Runtime.InteropServices;

namespace Weir.IntegrationTests.Processes;

/// <summary>What a terminal, a service manager or a person with kill may do to a process.</summary>
internal static partial class Signals
{
    public const int Int = 2;
    public const int Kill = 9;
    public const int Term = 15;
    public const int Continue = 18;
    public const int Stop = 19;

    [LibraryImport("libc", EntryPoint = "kill")]
    public static partial int Send(int pid, int signal);
}
