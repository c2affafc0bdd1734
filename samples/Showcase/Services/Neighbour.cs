using System.Collections.Concurrent;
using System.Diagnostics;
using Weir;

namespace Showcase;

/// <summary>Four bad neighbours: memory, processor, statics and crashes. Each hurts its own worker and no other.</summary>
[Service]
public sealed class Neighbour
{
    private static readonly ConcurrentBag<byte[]> Kept = [];
    private static int _value;

    /// <summary>Takes memory and never gives it back; the pool's limit ends it with an <see cref="OutOfMemoryException"/>.</summary>
    [Isolated("neighbours")]
    public void EatMemory(int mb)
    {
        Require.NotNegative(mb);
        for (var i = 0; i < mb; i++)
        {
            // Filled, so that every page is really there.
            var megabyte = GC.AllocateUninitializedArray<byte>(1 << 20);
            megabyte.AsSpan().Fill(1);
            Kept.Add(megabyte);
        }
    }

    /// <summary>Keeps one processor busy, but leaves when the caller does.</summary>
    [Isolated("neighbours")]
    public void EatCpu(int seconds, CancellationToken ct = default)
    {
        Require.NotNegative(seconds);
        for (var watch = Stopwatch.StartNew(); watch.Elapsed.TotalSeconds < seconds;)
        {
            ct.ThrowIfCancellationRequested();
            Thread.SpinWait(1000);
        }
    }

    [Isolated("neighbours")]
    public void SetStatic(int value) => Volatile.Write(ref _value, value);

    [Get, Isolated("neighbours")]
    public StaticValue GetStatic() => new(Volatile.Read(ref _value), Environment.ProcessId);

    /// <summary>The same static, as the host sees it.</summary>
    [Get]
    public StaticValue HostStatic() => new(Volatile.Read(ref _value), Environment.ProcessId);

    [Isolated("neighbours")]
    public void Crash(CrashKind kind) => Crashes.Run(kind);

    /// <summary>Never returns and never looks whether the caller is still there: only the end of its process ends it.</summary>
    [Isolated("neighbours")]
    public void Loop()
    {
        while (true)
        {
            Thread.SpinWait(1000);
        }
    }
}

public sealed record StaticValue(int Value, int Pid);
