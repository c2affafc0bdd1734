using Weir.Protocol.SharedMemory;

namespace Weir.Worker.Platform;

/// <summary>The shared memory of the host: inherited as descriptor 5, mapped until the process ends.</summary>
internal static class MappedMemory
{
    private const int Descriptor = 5;

    /// <summary>Maps the shared memory. Called only if the host has offered it: otherwise the descriptor is something else.</summary>
    /// <returns>Its address; 0 when it cannot be mapped, or this build does not know its layout.</returns>
    public static nint TryMap()
    {
        if (!OperatingSystem.IsLinux())
        {
            return 0;
        }

        var address = MapWhole();

        // The mapping does not need the descriptor any more, and child processes must not inherit it.
        _ = LibC.Close(Descriptor);
        return address;
    }

    private static nint MapWhole()
    {
        if (LibC.Seek(Descriptor, 0, LibC.FromEnd) < SharedMemoryLayout.Size)
        {
            return 0;
        }

        var address = LibC.Map(0, SharedMemoryLayout.Size, LibC.ReadAndWrite, LibC.Shared, Descriptor, 0);
        if (address == -1)
        {
            return 0;
        }

        if (SharedMemoryAccess.OpenWorker(address).IsKnown)
        {
            return address;
        }

        _ = LibC.Unmap(address, SharedMemoryLayout.Size);
        return 0;
    }
}
