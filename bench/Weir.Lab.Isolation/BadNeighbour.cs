using System;
using System.Collections.Generic;
using System.Threading;

namespace Weir.Lab.Isolation;

/// <summary>The four bad neighbours of document 003.</summary>
public sealed class BadNeighbour : MarshalByRefObject
{
    private const int BlockBytes = 1024 * 1024;
    private const int SmallestBytes = 4096;

    // What was eaten is kept, as a leak keeps it.
    private static readonly List<byte[]> Eaten = new List<byte[]>();

    /// <summary>The document's counter: 543 where the neighbour was, 0 where he cannot reach.</summary>
    public static int InitCount { get; set; }

    /// <summary>Behaves badly and returns; what it started goes on.</summary>
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
            case "crash":
                new Thread(() => throw new InvalidOperationException("Nobody catches this.")).Start();
                break;
            default:
                throw new NotSupportedException($"There is no way of behaving badly named '{how}'.");
        }
    }

    // Until there is no more, whoever's limit that is: large blocks first, then what is left between them.
    private static void EatMemory()
    {
        for (var bytes = BlockBytes; bytes >= SmallestBytes; bytes /= 4)
        {
            try
            {
                while (true)
                    Eaten.Add(Touched(new byte[bytes]));
            }
            catch (OutOfMemoryException)
            {
                // It was all of this size, and it stays eaten.
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
