namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>Creates memory files.</summary>
internal static unsafe class Memfd
{
    /// <summary>An empty one that can be sealed, close-on-exec and, where the kernel has that, never executable.</summary>
    /// <param name="name">Ends with a zero; seen in <c>/proc</c> only.</param>
    /// <returns>Its number; <c>null</c> where a seccomp filter forbids such memory.</returns>
    /// <exception cref="LaunchException">There are no descriptors or no memory left.</exception>
    public static int? TryOpen(ReadOnlySpan<byte> name)
    {
        const uint flags = MemoryCalls.CloseOnExec | MemoryCalls.AllowSealing;
        fixed (byte* start = name)
        {
            var number = MemoryCalls.Create(start, flags | MemoryCalls.NoExecutable);
            if (number < 0 && Errno.Last == Errno.Invalid)
            {
                number = MemoryCalls.Create(start, flags);
            }

            return number >= 0 ? number
                : Errno.Last is Errno.NoSystemCall or Errno.NotPermitted ? null
                : throw DescriptorSetup.Failed("memfd_create", Errno.Last);
        }
    }
}
