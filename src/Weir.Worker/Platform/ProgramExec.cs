using System.Runtime.InteropServices;

namespace Weir.Worker.Platform;

/// <summary>
/// Becomes another program, tied to the host: a runtime that cannot request a signal at its parent's death (Node, a shell) is started
/// through this process, which requests it and then is replaced. The process id, the channels and the limits stay.
/// </summary>
internal static unsafe partial class ProgramExec
{
    private const int BrokenPipe = 13;
    private const int NoSuchFile = 2;

    /// <summary>Returns only when the program could not be run.</summary>
    /// <returns>The exit code, as shells give it.</returns>
    public static int Become(ProgramArguments program)
    {
        if (!ParentDeath.TieTo(program.HostProcessId))
        {
            return ExitCode.ChannelEnded;
        }

        // .NET ignores SIGPIPE, and an ignored signal stays ignored in the new program.
        _ = SetSignal(BrokenPipe, 0);

        // Never freed: this program is either replaced or ends.
        var arguments = (byte**)NativeMemory.AllocZeroed((nuint)program.Command.Count + 1, (nuint)sizeof(byte*));
        for (var i = 0; i < program.Command.Count; i++)
        {
            arguments[i] = (byte*)Marshal.StringToCoTaskMemUTF8(program.Command[i]);
        }

        _ = Exchange(arguments[0], arguments);
        var errno = Marshal.GetLastPInvokeError();
        Console.Error.WriteLine($"{program.Command[0]} could not be run: {Marshal.GetPInvokeErrorMessage(errno)} (errno {errno}).");
        return errno == NoSuchFile ? ExitCode.ProgramMissing : ExitCode.ProgramRefused;
    }

    /// <summary>A disposition of 0 is the default.</summary>
    [LibraryImport("libc", EntryPoint = "signal")]
    private static partial nint SetSignal(int signal, nint disposition);

    /// <summary>Replaces the program of this process; no process is started. Looks on the PATH for a name without a slash.</summary>
    [LibraryImport("libc", EntryPoint = "execvp", SetLastError = true)]
    private static partial int Exchange(byte* file, byte** arguments);
}
