using System.Text;
using Microsoft.Win32.SafeHandles;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>A memory file that is written once and sealed: then no process can change, shorten or extend it, so that every worker may map it.</summary>
internal static class SealedMemory
{
    /// <summary>What the names of these files begin with, in <c>/proc</c>.</summary>
    public const string NamePrefix = "weir-data:";

    // The kernel takes 249 bytes.
    private const int MostName = 240;

    /// <summary>An empty one, which can be written.</summary>
    /// <param name="name">What it holds: shown in <c>/proc</c>, after the prefix.</param>
    /// <returns><c>null</c> where such memory is forbidden (a seccomp filter).</returns>
    /// <exception cref="LaunchException">There are no descriptors or no memory left.</exception>
    public static SafeFileHandle? TryCreate(string name)
    {
        var text = Encoding.UTF8.GetBytes(NamePrefix + name);
        return Memfd.TryOpen([.. text.AsSpan(0, Math.Min(text.Length, MostName)), 0]) is { } number ? new SafeFileHandle(number, ownsHandle: true) : null;
    }

    /// <summary>Seals it, and opens it again for reading only: older kernels refuse to share a sealed file through a descriptor that could write it.</summary>
    /// <param name="written">Not mapped by any process. The caller closes it.</param>
    /// <exception cref="LaunchException">The kernel refused.</exception>
    public static SafeFileHandle Seal(SafeFileHandle written)
    {
        const int All = MemoryCalls.SealShrink | MemoryCalls.SealGrow | MemoryCalls.SealWrite | MemoryCalls.SealSeals;
        var number = (int)written.DangerousGetHandle();
        return DescriptorCalls.Control(number, MemoryCalls.AddSeals, All) == 0
            ? File.OpenHandle($"/proc/self/fd/{number}", FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete)
            : throw DescriptorSetup.Failed("fcntl(F_ADD_SEALS)", Errno.Last);
    }
}
