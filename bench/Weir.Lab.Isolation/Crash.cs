using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

namespace Weir.Lab.Isolation;

/// <summary>Five ways to end a process by accident.</summary>
public static class Crash
{
    private static readonly Dictionary<string, Action> Ways = new Dictionary<string, Action>
    {
        ["unhandled exception"] = () => throw new InvalidOperationException("This exception is not caught."),
        ["stack overflow"] = () => Deeper(1),
        // In native code: in its own a runtime would make an exception of it.
        ["SIGSEGV"] = () => Fill(new IntPtr(16), 1, new UIntPtr(16)),
        ["exit"] = () => Environment.Exit(3),
        ["FailFast"] = () => Environment.FailFast("The neighbour gives up."),
    };

    /// <summary>Crashes on a thread of its own, and waits for what comes of it.</summary>
    public static void By(string how)
    {
        if (!Ways.TryGetValue(how, out var crash))
            throw new NotSupportedException($"There is no way of behaving badly named '{how}'.");

        var thread = new Thread(() => crash()) { IsBackground = true };
        thread.Start();
        thread.Join();
    }

    // What is added afterwards keeps every frame.
    private static int Deeper(int depth) => depth == int.MinValue ? 0 : Deeper(depth + 1) + depth;

    [DllImport("libc", EntryPoint = "memset")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern IntPtr Fill(IntPtr where, int with, UIntPtr count);
}
