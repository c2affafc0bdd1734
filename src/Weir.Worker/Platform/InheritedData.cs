using System.Runtime.InteropServices;
using Weir.Protocol.Payloads;
using Weir.Worker.Start;

namespace Weir.Worker.Platform;

/// <summary>The shared data of the host: sealed memory that is inherited as descriptors from 6 on.</summary>
internal static class InheritedData
{
    private const int FirstDescriptor = 6;

    /// <summary>Keeps child processes from inheriting the descriptors. Nothing is mapped before it is used.</summary>
    /// <returns><c>null</c> where the pool has no shared data.</returns>
    public static SharedDataViews? Open(HelloPayload hello)
    {
        if (hello.SharedData.Count == 0)
        {
            return null;
        }

        var descriptor = FirstDescriptor;
        foreach (var entry in hello.SharedData)
        {
            if (entry.Path.Length == 0)
            {
                _ = LibC.DescriptorControl(descriptor++, LibC.SetDescriptorFlags, LibC.CloseOnExec);
            }
        }

        return new SharedDataViews(hello.Pool, hello.SharedData, Map);
    }

    private static nint Map(int index, long length)
    {
        var address = LibC.Map(0, (nuint)length, LibC.Read, LibC.Shared, FirstDescriptor + index, 0);
        return address != -1
            ? address
            : throw new InvalidOperationException($"The shared data on descriptor {FirstDescriptor + index} could not be mapped: {Marshal.GetLastPInvokeErrorMessage()} (errno {Marshal.GetLastPInvokeError()}).");
    }
}
