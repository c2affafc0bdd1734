using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>
/// One run of <c>createdump</c>, the program beside the runtime that reads another process: it stops that process's threads (ptrace), and the kernel lets them
/// continue when it ends, however it ends. A child of the host, which is waited for by its pidfd, and ended with SIGKILL.
/// </summary>
internal sealed class DumpTool : IDisposable
{
    private const string Program = "createdump";

    // What it reads managed frames with.
    private const string Reader = "libmscordaccore.so";

    // How often it is checked whether to stop.
    private const int Slice = 20;

    private static readonly Lazy<string?> FoundPath = new(static () => Find(Folders(), File.Exists));

    private readonly int _processId;
    private readonly Descriptor _pidfd;
    private bool _isReaped;

    private DumpTool(int processId, Descriptor pidfd)
    {
        _processId = processId;
        _pidfd = pidfd;
    }

    /// <summary>Where it is; <c>null</c> where the application has none: natively compiled, or a single file that was published without it.</summary>
    public static string? Path => FoundPath.Value;

    /// <summary>Starts it.</summary>
    /// <param name="arguments">Its options and the process that it reads.</param>
    /// <returns><c>null</c> where it is missing or cannot be started.</returns>
    public static DumpTool? TryStart(params string[] arguments)
    {
        if (Path is not { } path)
        {
            return null;
        }

        try
        {
            DescriptorSetup.SealOnce();
            var processId = PosixSpawn.StartQuiet(path, arguments);
            if (Pidfd.TryOpen(processId) is { } pidfd)
            {
                return new DumpTool(processId, pidfd);
            }

            _ = ProcessCalls.SignalByNumber(processId, ProcessCalls.Kill);
            Reaping.WaitFor(processId);
            return null;
        }
        catch (LaunchException)
        {
            return null;
        }
    }

    /// <summary>Waits until it has ended, or the process that it reads has, or the time has passed: then it is killed.</summary>
    /// <param name="target">The process that it reads.</param>
    /// <param name="patience">How long it may take.</param>
    /// <returns>Whether it reported success.</returns>
    public unsafe bool Wait(Descriptor target, Patience patience)
    {
        using var own = _pidfd.Use();
        using var other = target.Use();
        var entries = stackalloc SocketCalls.PollEntry[2];
        while (true)
        {
            entries[0] = new SocketCalls.PollEntry { Descriptor = _pidfd.Number, Wanted = SocketCalls.Readable };
            entries[1] = new SocketCalls.PollEntry { Descriptor = target.Number, Wanted = SocketCalls.Readable };
            var left = patience.Left;
            _ = SocketCalls.Poll(entries, 2, Math.Min(Slice, (int)Math.Ceiling(left.TotalMilliseconds)));
            if (entries[0].Happened != 0)
            {
                var exit = Reaping.TryReap(_pidfd);
                _isReaped = exit is not null;
                return exit is { ExitCode: 0 };
            }

            if (entries[1].Happened != 0 || left == TimeSpan.Zero)
            {
                Pidfd.Kill(_pidfd);
                return false;
            }
        }
    }

    /// <summary>Waits until it has ended, where it was killed.</summary>
    public void Dispose()
    {
        if (!_isReaped)
        {
            Pidfd.Kill(_pidfd);
            Reaping.WaitFor(_processId);
        }

        _pidfd.Dispose();
    }

    internal static string? Find(IEnumerable<string> folders, Func<string, bool> exists) =>
        folders.Where(folder => exists(System.IO.Path.Combine(folder, Program)) && exists(System.IO.Path.Combine(folder, Reader)))
            .Select(static folder => System.IO.Path.Combine(folder, Program)).FirstOrDefault();

    // Beside the runtime, which is beside the application where that is self-contained.
    private static IEnumerable<string> Folders() => RuntimeFeature.IsDynamicCodeCompiled ? [RuntimeEnvironment.GetRuntimeDirectory(), AppContext.BaseDirectory] : [AppContext.BaseDirectory];
}
