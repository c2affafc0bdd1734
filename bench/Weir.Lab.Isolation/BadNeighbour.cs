using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Weir.Lab.Isolation;

/// <summary>The four bad neighbours of document 003; the one who crashes does so in five ways.</summary>
public sealed class BadNeighbour : MarshalByRefObject
{
    private const int BlockBytes = 1024 * 1024;
    private const int SmallestBytes = 4096;

    // Without a limit it has taken enough memory by then.
    private static readonly TimeSpan LongestMeal = TimeSpan.FromSeconds(0.7);

    // What was allocated is kept, as a leak keeps it.
    private static readonly List<byte[]> Eaten = new List<byte[]>();

    /// <summary>The document's counter: 543 where the neighbour was, 0 where he cannot reach.</summary>
    public static int InitCount { get; set; }

    /// <summary>Misbehaves and returns; threads that it started continue. A crash returns only where it did not end the process.</summary>
    public void Behave(string how)
    {
        switch (how)
        {
            case "memory":
                EatMemory();
                break;
            case "cpu":
                for (var i = 0; i < Environment.ProcessorCount * 2; i++)
                    new Thread(EatCpu) { IsBackground = true }.Start();
                break;
            case "statics":
                InitCount = 543;
                HelloTask.StateMustBeTrue = false;
                break;
            default:
                Crash.By(how);
                break;
        }
    }

    // Until there is no more memory, under any limit: large blocks first, then smaller ones that fit between them.
    private static void EatMemory()
    {
        var watch = Stopwatch.StartNew();
        for (var bytes = BlockBytes; bytes >= SmallestBytes; bytes /= 4)
        {
            try
            {
                while (watch.Elapsed < LongestMeal)
                    Eaten.Add(Touched(new byte[bytes]));
            }
            catch (OutOfMemoryException)
            {
                // There is no more block of this size. What was allocated is kept.
            }
        }
    }

    private static byte[] Touched(byte[] block)
    {
        for (var i = 0; i < block.Length; i += 4096)
            block[i] = 1;
        return block;
    }

    private static void EatCpu()
    {
        while (true)
            Thread.SpinWait(1000);
    }
}
