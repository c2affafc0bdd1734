using System.Diagnostics;
using System.Security.Cryptography;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Isolation;

/// <summary>The document's task on every core without any isolation: what a pool on this machine could reach at most.</summary>
internal static class AllCores
{
    public static IEnumerable<ControlLine> Run(ControlLine request)
    {
        var bytes = request.Int("bytes");
        var count = request.Int("count");
        var watch = Stopwatch.StartNew();
        var threads = Enumerable.Range(0, Environment.ProcessorCount).Select(index => new Thread(() => Work(index, count, bytes))).ToArray();
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();

        return [Readings.Reading("tasks/s", count / watch.Elapsed.TotalSeconds, "1/s"), Readings.Done()];
    }

    private static void Work(int index, int count, int bytes)
    {
        var generator = new Random();
        for (var i = index; i < count; i += Environment.ProcessorCount)
        {
            var buffer = new byte[bytes];
            generator.NextBytes(buffer);
            _ = Convert.ToBase64String(SHA512.HashData(buffer));
        }
    }
}
