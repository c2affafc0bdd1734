using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Weir.Workers;

/// <summary>What a worker may be asked in WorkerCompliance, for .NET Framework.</summary>
internal static class Program
{
    private static IDictionary<string, string> _configuration;
    private static int _lateAnswers;

    private static int Main(string[] args)
    {
        if (args.Length > 1 && args[0] == "--vectors")
        {
            return Vectors.Check(args[1]);
        }

        var worker = new WeirWorker { Setup = Setup, Cleanup = () => Console.WriteLine("cleaned up") };
        worker.Operation("Compliance/Add", (int a, int b) => a + b);
        worker.Operation("Compliance/Later", (Func<string, Task<string>>)Later);
        worker.Operation("Compliance/Echo", (string text) => text);
        worker.Operation("Compliance/Maybe", (Func<string, string>)Maybe);
        worker.Operation("Compliance/Reverse", (string prefix, byte[] data) => Encoding.UTF8.GetBytes(prefix).Concat(data.Reverse()).ToArray());
        worker.Operation("Compliance/Sum", (Func<int[], int, int>)Sum);
        worker.Operation("Compliance/Nothing", () => { });
        worker.Operation("Compliance/Fail", (string message) => { throw new InvalidOperationException(message); });
        worker.Operation("Compliance/Refuse", (int status) => { throw new WeirStatusException(status, "refused", new Dictionary<string, string> { { "X-Reason", "test" } }); });
        worker.Operation("Compliance/Huge", (int length) => new string('x', length));
        worker.Operation("Compliance/Count", (int n) => Enumerable.Range(0, n));
        worker.Operation("Compliance/CountLater", (Func<int, Task<IEnumerable<int>>>)CountLater);
        worker.Operation("Compliance/CountAndFail", (Func<int, IEnumerable<int>>)CountAndFail);
        worker.Operation("Compliance/Wait", (CancellationToken cancelled) =>
        {
            cancelled.WaitHandle.WaitOne();
            cancelled.ThrowIfCancellationRequested();
        });
        worker.Operation("Compliance/WaitLater", (CancellationToken cancelled) => Task.Delay(Timeout.Infinite, cancelled));
        worker.Operation("Compliance/Spin", (CancellationToken cancelled) =>
        {
            while (true)
            {
                cancelled.ThrowIfCancellationRequested();
            }
        });
        worker.Operation("Compliance/Ignore", (int milliseconds) =>
        {
            Console.WriteLine("ignoring");
            Thread.Sleep(milliseconds);
            return "done";
        });
        worker.Operation("Compliance/Remaining", (WeirCall call) => call.Remaining == null ? -1 : (int)call.Remaining.Value.TotalMilliseconds);
        worker.Operation("Compliance/Report", (int times) => "direct");
        worker.Operation("Compliance/ReportAndSpin", () => { });
        worker.Operation("Compliance/Print", (string text) =>
        {
            Console.WriteLine(text);
            Console.Error.WriteLine(text);
            worker.Log(3, "compliance", "logged " + text);
        });
        worker.Operation("Compliance/Exit", (int code) => Environment.Exit(code));
        worker.Operation("Compliance/Exhaust", () => { throw new OutOfMemoryException(); });
        worker.Operation("Compliance/Spawn", () => Process.Start(new ProcessStartInfo("sleep", "1000") { UseShellExecute = false }).Id);
        worker.Operation("Compliance/Late", (Func<int, bool, CancellationToken, int>)Late);
        worker.Operation("Compliance/LateCount", () => _lateAnswers);
        worker.Operation("Compliance/Configured", () => _configuration["word"]);
        return worker.Run(args);
    }

    private static void Setup(string pool, IDictionary<string, string> configuration)
    {
        string start;
        if (configuration.TryGetValue("start", out start))
        {
            if (start == "exit")
            {
                Environment.Exit(5);
            }

            if (start != "linger")
            {
                throw new InvalidOperationException("no database");
            }

            Console.WriteLine("building services");
            Thread.Sleep(500);
        }

        _configuration = configuration;
        Trace.TraceInformation("{0} has {1} pairs of configuration", pool, configuration.Count.ToString(CultureInfo.InvariantCulture));
    }

    private static async Task<string> Later(string text)
    {
        await Task.Yield();
        return text;
    }

    private static int Late(int id, bool waits, CancellationToken cancelled)
    {
        if (waits && cancelled.WaitHandle.WaitOne(20000))
        {
            Interlocked.Increment(ref _lateAnswers);
        }

        return id;
    }

    private static string Maybe(string text = null) { return text; }

    private static int Sum(int[] numbers, int start = 10) { return start + numbers.Sum(); }

    private static async Task<IEnumerable<int>> CountLater(int n)
    {
        await Task.Yield();
        return Enumerable.Range(0, n);
    }

    private static IEnumerable<int> CountAndFail(int n)
    {
        for (var i = 0; i < n; i++)
        {
            yield return i;
        }

        throw new InvalidOperationException("after " + n);
    }
}
