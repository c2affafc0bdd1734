using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Showcase;

public enum CrashKind
{
    Unhandled,
    StackOverflow,
    Exit,
    Segv,
    FailFast,
    OutOfMemory,
}

/// <summary>Six ways for a process to end badly; none of them is simulated.</summary>
internal static unsafe partial class Crashes
{
    internal static void Run(CrashKind kind)
    {
        switch (kind)
        {
            case CrashKind.Unhandled:
                // On a thread of its own no code catches it.
                var thread = new Thread(static () => throw new InvalidOperationException("This exception is not caught."));
                thread.Start();
                thread.Join();
                break;
            case CrashKind.StackOverflow:
                Descend(1);
                break;
            case CrashKind.Exit:
                Environment.Exit(3);
                break;
            case CrashKind.Segv:
                // Inside native code: in managed code the runtime would make an exception of it.
                WriteMemory((byte*)8, 0, 1);
                break;
            case CrashKind.FailFast:
                Environment.FailFast("The operation asked for it.");
                break;
            case CrashKind.OutOfMemory:
                Exhaust();
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(kind), kind, null);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.NoOptimization)]
    private static int Descend(int depth) => Descend(depth + 1) + 1;

    /// <summary>Allocates until the limit says no. Stops at 4 GB, so that a host without a limit does not take the machine along.</summary>
    private static void Exhaust()
    {
        var kept = new List<byte[]>();
        while (kept.Count < 4096)
        {
            var megabyte = GC.AllocateUninitializedArray<byte>(1 << 20);
            megabyte.AsSpan().Fill(1);
            kept.Add(megabyte);
        }

        GC.KeepAlive(kept);
        throw new InvalidOperationException("4 GB were allocated and no memory limit said no.");
    }

    [LibraryImport("libc", EntryPoint = "memset")]
    private static partial byte* WriteMemory(byte* address, int value, nuint count);
}
