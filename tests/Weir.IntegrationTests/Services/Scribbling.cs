using System.Diagnostics;
using System.Globalization;

namespace Weir.IntegrationTests.Services;

/// <summary>Code that writes over the memory which its worker shares with the host, beside calls that do nothing wrong.</summary>
[Service, Isolated("scribbling")]
public sealed class Scribbling
{
    public int Identify() => Environment.ProcessId;

    /// <summary>Overwrites one word again and again.</summary>
    /// <param name="offset">Where the word lies in the shared memory.</param>
    /// <param name="milliseconds">For how long.</param>
    public Task Overwrite(int offset, int milliseconds) => Task.Factory.StartNew(
        () => Overwrite(Map() + offset, milliseconds),
        CancellationToken.None,
        TaskCreationOptions.LongRunning,
        TaskScheduler.Default);

    /// <summary>Gives back what it was given, a moment later.</summary>
    public async Task<byte[]> Echo(byte[] data)
    {
        await Task.Delay(20);
        return data;
    }

    private static nint Map()
    {
        var line = File.ReadLines("/proc/self/maps").First(static line => line.Contains("weir-shared", StringComparison.Ordinal));
        return nint.Parse(line[..line.IndexOf('-', StringComparison.Ordinal)], NumberStyles.HexNumber, CultureInfo.InvariantCulture);
    }

    private static unsafe void Overwrite(nint word, int milliseconds)
    {
        for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < milliseconds;)
        {
            Volatile.Write(ref *(ulong*)word, 0);
        }
    }
}
