using Weir.Execution.Processes.Linux.Interop;
using Weir.Protocol.SharedMemory;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>Shared memory in a memfd: it has no name that another process could open, and its length is sealed, so that an access cannot fault.</summary>
internal sealed class MemfdRegion : SharedMemoryRegion
{
    private MemfdRegion(nint address)
        : base(address)
    {
    }

    /// <summary>Creates the shared memory and the descriptor through which the worker maps it.</summary>
    /// <returns><c>null</c> where such memory is forbidden (a seccomp filter): workers then run without shared memory.</returns>
    /// <exception cref="LaunchException">There are no descriptors or no memory left.</exception>
    public static (SharedMemoryRegion SharedMemory, Descriptor Descriptor)? TryCreate()
    {
        if (TryOpen() is not { } descriptor)
        {
            return null;
        }

        try
        {
            if (MemoryCalls.SetLength(descriptor.Number, SharedMemoryLayout.Size) != 0)
            {
                throw DescriptorSetup.Failed("ftruncate", Errno.Last);
            }

            if (DescriptorCalls.Control(descriptor.Number, MemoryCalls.AddSeals, MemoryCalls.SealShrink | MemoryCalls.SealGrow | MemoryCalls.SealSeals) != 0)
            {
                throw DescriptorSetup.Failed("fcntl(F_ADD_SEALS)", Errno.Last);
            }

            var address = MemoryCalls.Map(0, SharedMemoryLayout.Size, MemoryCalls.Readable | MemoryCalls.Writable, MemoryCalls.Shared, descriptor.Number, 0);
            return address != -1 ? (new MemfdRegion(address), descriptor) : throw DescriptorSetup.Failed("mmap", Errno.Last);
        }
        catch
        {
            descriptor.Dispose();
            throw;
        }
    }

    protected override bool ReleaseHandle() => MemoryCalls.Unmap(handle, SharedMemoryLayout.Size) == 0;

    private static Descriptor? TryOpen() => Memfd.TryOpen("weir-shared\0"u8) is { } number ? new Descriptor(number) : null;
}
