using System.Globalization;
using System.Runtime.InteropServices;

namespace Weir.IntegrationTests.Services;

/// <summary>Answers from what the workers of its pool share.</summary>
internal sealed unsafe partial class SharedGreeting(ReadOnlyMemory<byte> data) : IGreeting
{
    private const int ReadAndWrite = 3;

    public string Of(string name) => name switch
    {
        "all" => Sum().ToString(CultureInfo.InvariantCulture),
        "write" => Unlock().ToString(CultureInfo.InvariantCulture),
        ['/', ..] => WhenThereIs(name),
        _ => $"{data.Span[0]} of {data.Length}",
    };

    // Runs until the test makes a file of this name.
    private string WhenThereIs(string path)
    {
        File.WriteAllText(path + ".begun", "");
        while (!File.Exists(path))
        {
            Thread.Yield();
        }

        return Of("");
    }

    // Every page.
    private long Sum()
    {
        var sum = 0L;
        foreach (var one in MemoryMarshal.Cast<byte, long>(data.Span))
        {
            sum += one;
        }

        return sum;
    }

    private int Unlock()
    {
        using var pinned = data.Pin();
        return Protect((nint)pinned.Pointer, 4096, ReadAndWrite);
    }

    [LibraryImport("libc", EntryPoint = "mprotect")]
    private static partial int Protect(nint address, nuint length, int protection);
}
