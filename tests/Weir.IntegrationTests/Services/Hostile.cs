using System.Buffers.Binary;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Weir.IntegrationTests.Services;

/// <summary>
/// Code that attacks the worker it runs in: its descriptors, the memory it shares with the host, its channels, its process. Every attack
/// first appends the number of its process to a file, the witness, so that a test knows which worker was attacked although no answer comes.
/// </summary>
[Service, Isolated("misbehaviour")]
public sealed partial class Hostile
{
    private const int ControlDescriptor = 4;
    private const int PongFrame = 22;
    private const int LogFrame = 24;
    private const int RingsBegin = 8192;
    private const int HostSleeps = 4480;

    /// <summary>What callers beside an attack ask; the answer cannot be another call's.</summary>
    public string Product(int a, int b) => string.Create(CultureInfo.InvariantCulture, $"{a}*{b}={(long)a * b}");

    /// <summary>Writes so many random bytes to each of these descriptors, as far as each takes them at once.</summary>
    public int Noise(string witness, int from, int to, int bytes)
    {
        Testify(witness);
        var noise = new byte[bytes];
        new Random(bytes).NextBytes(noise);
        for (var descriptor = from; descriptor <= to; descriptor++)
        {
            WriteAll(descriptor, noise);
        }

        return bytes;
    }

    public int CloseDescriptors(string witness, int from, int to)
    {
        Testify(witness);
        for (var descriptor = from; descriptor <= to; descriptor++)
        {
            _ = close(descriptor);
        }

        return to;
    }

    /// <summary>Overwrites the memory that it shares with the host.</summary>
    /// <param name="witness">The witness.</param>
    /// <param name="what"><c>whole</c>, <c>head</c>, <c>zero</c>, <c>ones</c>, <c>rings</c>, <c>bytes</c>, or <c>sleeps</c> for the word by which the host is woken.</param>
    /// <param name="seed">Of what is random.</param>
    /// <param name="milliseconds">How long a thread of its own repeats it, beyond the answer; 0 for once.</param>
    public int Scribble(string witness, string what, int seed, int milliseconds)
    {
        Testify(witness);
        var (address, length) = FindSharedMemory();
        var random = new Random(seed);
        Overwrite(address, length, what, random);
        if (milliseconds > 0)
        {
            new Thread(() =>
            {
                for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < milliseconds;)
                {
                    Overwrite(address, length, what, random);
                }
            }).Start();
        }

        return seed;
    }

    /// <summary>Sends bytes that are no frames on a channel for a while, so many at a time.</summary>
    public int FloodChannel(string witness, int descriptor, int atATime, int milliseconds)
    {
        Testify(witness);
        var noise = new byte[atATime];
        noise.AsSpan().Fill(1);
        var sent = 0;
        for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < milliseconds; sent++)
        {
            _ = send(descriptor, noise, (nuint)noise.Length, 0);
        }

        return sent;
    }

    /// <summary>Answers to PINGs that were never sent.</summary>
    public int FloodPong(string witness, int count) => FloodControl(witness, PongFrame, new byte[8], count);

    /// <summary>Records for the host's log, well formed.</summary>
    public int FloodLog(string witness, int count) => FloodControl(witness, LogFrame, [3, 0, 0, 0, .. new byte[24]], count);

    public int FloodError(string witness, int lines)
    {
        Testify(witness);
        using var error = Console.OpenStandardError();
        for (var line = 0; line < lines; line++)
        {
            error.Write("a line of a flood on stderr\n"u8);
        }

        return lines;
    }

    /// <summary>Prints without ever ending the line.</summary>
    public int PrintOneLine(string witness, int megabytes)
    {
        Testify(witness);
        using var output = Console.OpenStandardOutput();
        var block = new byte[1 << 20];
        block.AsSpan().Fill((byte)'x');
        for (var written = 0; written < megabytes; written++)
        {
            output.Write(block);
        }

        return megabytes;
    }

    /// <summary>Copies of this process that hold all of its descriptors for a while.</summary>
    public int Fork(string witness, int copies, int seconds)
    {
        Testify(witness);
        for (var copy = 0; copy < copies; copy++)
        {
            if (fork() == 0)
            {
                _ = sleep((uint)seconds);
                _exit(0);
            }
        }

        return copies;
    }

    /// <summary>Runs a shell script and waits for the shell.</summary>
    public int Shell(string witness, string script)
    {
        Testify(witness);
        using var shell = Process.Start("/bin/sh", ["-c", script]);
        shell.WaitForExit();
        return shell.ExitCode;
    }

    /// <summary>Takes descriptors until there are so many, or no more.</summary>
    public int TakeDescriptors(string witness, int count)
    {
        Testify(witness);
        var taken = new List<int>();
        while (taken.Count < count && dup(0) is var descriptor and >= 0)
        {
            taken.Add(descriptor);
        }

        taken.ForEach(static descriptor => _ = close(descriptor));
        return taken.Count;
    }

    /// <summary>Ends this process, in one of the ways there are, after a while.</summary>
    [SuppressMessage("Usage", "CA2201", Justification = "What the runtime throws, without filling the machine.")]
    public int Die(string witness, string how, int milliseconds)
    {
        Testify(witness);
        Thread.Sleep(milliseconds);
        switch (how)
        {
            case "exit":
                Environment.Exit(3);
                break;
            case "exit 0":
                Environment.Exit(0);
                break;
            case "_exit":
                _exit(0);
                break;
            case "fail fast":
                Environment.FailFast("on purpose");
                break;
            case "unhandled":
                new Thread(static () => throw new InvalidOperationException("thrown on a thread of its own")).Start();
                break;
            case "segv":
                // Inside native code: a signal that was only sent is one that the runtime lets pass.
                _ = memset(8, 0, 1);
                break;
            case "overflow":
                return Recurse(0);
            case "out of memory":
                throw new OutOfMemoryException();
            default:
                _ = kill(Environment.ProcessId, int.Parse(how, CultureInfo.InvariantCulture));
                break;
        }

        Thread.Sleep(Timeout.Infinite);
        return 0;
    }

    /// <summary>Items until the caller disconnects, and then this much time until the producer stops.</summary>
    public async IAsyncEnumerable<int> SlowToStop(int milliseconds, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        try
        {
            for (var i = 0; ; i++)
            {
                yield return i;
                await Task.Delay(1, cancellationToken);
            }
        }
        finally
        {
            await Task.Delay(milliseconds, CancellationToken.None);
        }
    }

    private static void Testify(string witness) => File.AppendAllText(witness, $"{Environment.ProcessId}\n");

    private static unsafe void Overwrite(nint address, int length, string what, Random random)
    {
        var memory = new Span<byte>((void*)address, length);
        switch (what)
        {
            case "whole":
                random.NextBytes(memory);
                break;
            case "head":
                random.NextBytes(memory[..RingsBegin]);
                break;
            case "zero":
                memory[..RingsBegin].Clear();
                break;
            case "ones":
                memory[..RingsBegin].Fill(0xFF);
                break;
            case "rings":
                random.NextBytes(memory[RingsBegin..]);
                break;
            case "bytes":
                for (var i = 0; i < 50; i++)
                {
                    memory[random.Next(length)] = (byte)random.Next(256);
                }

                break;
            case "sleeps":
                Volatile.Write(ref *(ulong*)(address + HostSleeps), 0);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(what), what, "not known");
        }
    }

    private static (nint Address, int Length) FindSharedMemory()
    {
        var range = File.ReadLines("/proc/self/maps").First(static line => line.Contains("weir-shared", StringComparison.Ordinal)).Split(' ')[0].Split('-');
        var (begin, end) = (Convert.ToInt64(range[0], 16), Convert.ToInt64(range[1], 16));
        return ((nint)begin, (int)(end - begin));
    }

    private static int FloodControl(string witness, byte type, byte[] payload, int count)
    {
        Testify(witness);
        const int AtATime = 100;
        var frame = new byte[16 + payload.Length];
        BinaryPrimitives.WriteInt32LittleEndian(frame, payload.Length);
        frame[4] = type;
        payload.CopyTo(frame, 16);
        var frames = Enumerable.Repeat(frame, AtATime).SelectMany(static one => one).ToArray();
        for (var sent = 0; sent < count; sent += AtATime)
        {
            WriteAll(ControlDescriptor, frames);
        }

        return count;
    }

    // A worker whose host has given it up must not wait for it here.
    private static void WriteAll(int descriptor, byte[] bytes)
    {
        var written = write(descriptor, bytes, (nuint)bytes.Length);
        for (var watch = Stopwatch.StartNew(); written >= 0 && written < bytes.Length && watch.ElapsedMilliseconds < 1000;)
        {
            bytes = bytes[(int)written..];
            written = write(descriptor, bytes, (nuint)bytes.Length);
        }
    }

    private static int Recurse(int depth)
    {
        Span<byte> frame = stackalloc byte[1024];
        frame.Fill((byte)depth);
        return Recurse(depth + 1) + frame[depth & 1023];
    }

    [LibraryImport("libc")]
    private static partial int close(int descriptor);

    [LibraryImport("libc")]
    private static partial nint write(int descriptor, byte[] bytes, nuint count);

    [LibraryImport("libc")]
    private static partial nint send(int descriptor, byte[] bytes, nuint count, int flags);

    [LibraryImport("libc")]
    private static partial int dup(int descriptor);

    [LibraryImport("libc")]
    private static partial int fork();

    [LibraryImport("libc")]
    private static partial uint sleep(uint seconds);

    [LibraryImport("libc")]
    private static partial void _exit(int code);

    [LibraryImport("libc")]
    private static partial nint memset(nint address, int value, nuint count);

    [LibraryImport("libc")]
    private static partial int kill(int pid, int signal);
}
