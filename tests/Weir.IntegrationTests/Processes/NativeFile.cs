using System.Runtime.InteropServices;

namespace Weir.IntegrationTests.Processes;

/// <summary>A file opened as a careless native library does: without close-on-exec.</summary>
internal sealed partial class NativeFile : IDisposable
{
    private readonly int _descriptor = Open("/dev/zero", 0);

    public void Dispose() => _ = Close(_descriptor);

    [LibraryImport("libc", EntryPoint = "open", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int descriptor);
}
