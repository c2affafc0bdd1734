using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Weir.IntegrationTests.Services;

/// <summary>Everything a worker's code may do wrong.</summary>
[Service, Isolated("misbehaviour")]
public sealed partial class Misbehaviour
{
    private static readonly List<byte[]> Eaten = [];

    private const int WriteOnly = 1;
    private const int AppendOnly = 0x400;

    /// <summary>Says in a file outside Weir that this call ran: the oracle of chaos tests.</summary>
    public int Append(string path, int id, int milliseconds)
    {
        // One write with O_APPEND is one line, also when others write; FileMode.Append would write at an offset of its own.
        var file = Open(path, WriteOnly | AppendOnly);
        var line = Encoding.ASCII.GetBytes($"{id}\n");
        var written = Write(file, line, (nuint)line.Length);
        _ = Close(file);
        if (written != line.Length)
        {
            throw new IOException($"{path} took {written} of {line.Length} bytes.");
        }

        if (milliseconds > 0)
        {
            Thread.Sleep(milliseconds);
        }

        return id;
    }

    /// <summary>The same, with so many bytes of the id as the result.</summary>
    public byte[] AppendBytes(string path, int id, int bytes)
    {
        Append(path, id, 0);
        var result = new byte[bytes];
        Array.Fill(result, (byte)id);
        return result;
    }

    public int Identify() => Environment.ProcessId;

    public int Sleep(int milliseconds)
    {
        Thread.Sleep(milliseconds);
        return milliseconds;
    }

    /// <summary>Ends every process that runs it.</summary>
    [Idempotent]
    public void ExitAgain() => Environment.Exit(3);

    public void Exit(int code) => Environment.Exit(code);

    public void Unhandled()
    {
        new Thread(static () => throw new InvalidOperationException("thrown on a thread of its own")).Start();
        Thread.Sleep(Timeout.Infinite);
    }

    public int Overflow(int depth) => Recurse(depth);

    /// <summary>Inside native code: in managed code the runtime would make an exception of it.</summary>
    public void Segv() => Fill(8, 0, 1);

    public void SelfKill() => _ = Kill(Environment.ProcessId, 9);

    /// <summary>Eats all memory there is, down to the last page, and returns.</summary>
    public void EatEverything()
    {
        for (var bytes = 1 << 20; bytes >= 4096; bytes /= 4)
        {
            try
            {
                while (true)
                {
                    var block = new byte[bytes];
                    block.AsSpan().Fill(1);
                    Eaten.Add(block);
                }
            }
            catch (OutOfMemoryException)
            {
                // It was all of this size, and it stays eaten.
            }
        }
    }

    public void FailFast(string message) => Environment.FailFast(message);

    public int Print(string text, int times)
    {
        for (var i = 0; i < times; i++)
        {
            Console.WriteLine(text);
            Console.Error.WriteLine(text);
        }

        return times;
    }

    /// <summary>Half of it on each of its outputs; gives the process id.</summary>
    public int FloodBoth(int megabytes)
    {
        using var output = Console.OpenStandardOutput();
        using var error = Console.OpenStandardError();
        var lines = new byte[1 << 16];
        Array.Fill(lines, (byte)'x');
        for (var i = 63; i < lines.Length; i += 64)
        {
            lines[i] = (byte)'\n';
        }

        for (var written = 0; written < megabytes * 8; written++)
        {
            output.Write(lines);
            error.Write(lines);
        }

        error.Write("the last of the flood\n"u8);
        return Environment.ProcessId;
    }

    /// <summary>A result that holds itself.</summary>
    public Ring Cycle()
    {
        var ring = new Ring();
        ring.Next = ring;
        return ring;
    }

    public void Loop()
    {
        while (true)
        {
        }
    }

    public async ValueTask<int> IgnoreCancellation()
    {
        await Task.Delay(Timeout.Infinite, CancellationToken.None);
        return 0;
    }

    /// <summary>Waits at a checkpoint of the test, also when its caller cancels; gives its process.</summary>
    public async ValueTask<int> Hold(string checkpoint)
    {
        await Checkpoint.PassAsync(checkpoint, CancellationToken.None);
        return Environment.ProcessId;
    }

    public async IAsyncEnumerable<int> Endless([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (var i = 0; ; i++)
        {
            await Task.Delay(1, cancellationToken);
            yield return i;
        }
    }

    [Stream]
    public IEnumerable<int> DieAfter(int n)
    {
        for (var i = 0; i < n; i++)
        {
            yield return i;
        }

        _ = Kill(Environment.ProcessId, 9);
        Thread.Sleep(Timeout.Infinite);
    }

    [SuppressMessage("Performance", "CA1806", Justification = "The overflow is the point.")]
    private static int Recurse(int depth)
    {
        Span<byte> frame = stackalloc byte[1024];
        frame.Fill((byte)depth);
        return Recurse(depth + 1) + frame[depth & 1023];
    }

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int pid, int signal);

    [LibraryImport("libc", EntryPoint = "open", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "write")]
    private static partial nint Write(int file, byte[] bytes, nuint count);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int file);

    [LibraryImport("libc", EntryPoint = "memset")]
    private static partial nint Fill(nint address, int value, nuint count);
}

public sealed class Ring
{
    public Ring? Next { get; set; }
}
