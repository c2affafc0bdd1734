using System.Diagnostics;
using System.Security.Cryptography;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Isolation;

/// <summary>The document's task on every core without any isolation: what a pool on this machine could reach at most.</summary>
internal static class AllCores
{
    /// <summary><c>bytes</c> and a limit for each core: the threads stand and have done a task each before the clock starts.</summary>
    public static IEnumerable<ControlLine> Run(ControlLine request)
    {
        var bytes = request.Int("bytes");
        var limit = RoundLimit.Of(request);
        using var together = new Barrier(Environment.ProcessorCount + 1);
        var done = new long[Environment.ProcessorCount];
        var threads = Start(index =>
        {
            using var core = new Core();
            core.Load(bytes);
            together.SignalAndWait();
            var watch = Stopwatch.StartNew();
            long own = 0;
            for (; limit.GoesOn(own, watch); own++)
                core.Load(bytes);
            done[index] = own;
        });

        together.SignalAndWait();
        var watch = Stopwatch.StartNew();
        foreach (var thread in threads)
            thread.Join();
        return Readings.OfRate(done.Sum(), watch.Elapsed.TotalSeconds);
    }

    /// <summary>The hash of the bytes that all contenders hash, if every core gives the same.</summary>
    public static string Answer(int bytes)
    {
        var answers = new string[Environment.ProcessorCount];
        foreach (var thread in Start(index =>
        {
            using var core = new Core();
            answers[index] = core.Hash(HelloAnswer.Counting(bytes));
        }))
        {
            thread.Join();
        }

        return string.Join(" and ", answers.Distinct());
    }

    private static Thread[] Start(Action<int> work)
    {
        Thread[] threads = [.. Enumerable.Range(0, Environment.ProcessorCount).Select(index => new Thread(() => work(index)))];
        foreach (var thread in threads)
            thread.Start();
        return threads;
    }

    // What the task of the document shares and therefore cannot use on several threads: a generator and a hash of one's own.
    private sealed class Core : IDisposable
    {
        private readonly Random _generator = new();
        private readonly SHA512 _sha = SHA512.Create();

        public void Load(int bytes)
        {
            var buffer = new byte[bytes];
            _generator.NextBytes(buffer);
            HelloAnswer.Checked(TaskKind.Load, Hash(buffer));
        }

        public string Hash(byte[] buffer) => Convert.ToBase64String(_sha.ComputeHash(buffer));

        public void Dispose() => _sha.Dispose();
    }
}
