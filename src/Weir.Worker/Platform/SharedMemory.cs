using Weir.Protocol.Page;

namespace Weir.Worker.Platform;

/// <summary>The page of the host: inherited as descriptor 5, mapped for as long as the process lives.</summary>
internal static class SharedMemory
{
    private const int Descriptor = 5;

    /// <summary>Maps the page. Only where the host has offered it: otherwise the descriptor is somebody else's.</summary>
    /// <returns>Its address; 0 when it is no page that this build knows.</returns>
    public static nint TryMap()
    {
        if (!OperatingSystem.IsLinux())
        {
            return 0;
        }

        var address = MapWhole();

        // The mapping needs it no more, and grandchildren must not have it.
        _ = LibC.Close(Descriptor);
        return address;
    }

    private static nint MapWhole()
    {
        if (LibC.Seek(Descriptor, 0, LibC.FromEnd) < PageLayout.Size)
        {
            return 0;
        }

        var address = LibC.Map(0, PageLayout.Size, LibC.ReadAndWrite, LibC.Shared, Descriptor, 0);
        if (address == -1)
        {
            return 0;
        }

        if (PageAccess.OpenWorkerPage(address).IsKnown)
        {
            return address;
        }

        _ = LibC.Unmap(address, PageLayout.Size);
        return 0;
    }
}
