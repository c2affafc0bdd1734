using System.Text;

namespace Weir.Jobs.TestHost;

/// <summary>Lines that are on the disk when <see cref="Write"/> returns. A file for each process, so that none writes over another's. Any thread.</summary>
/// <param name="path">The file, which does not exist.</param>
internal sealed class Journal(string path) : IDisposable
{
    private readonly Microsoft.Win32.SafeHandles.SafeFileHandle _file = File.OpenHandle(path, FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite);
    private readonly Lock _gate = new();
    private long _length;

    public void Write(string line)
    {
        var bytes = Encoding.UTF8.GetBytes(line + "\n");
        lock (_gate)
        {
            RandomAccess.Write(_file, bytes, _length);
            RandomAccess.FlushToDisk(_file);
            _length += bytes.Length;
        }
    }

    public void Dispose() => _file.Dispose();
}
