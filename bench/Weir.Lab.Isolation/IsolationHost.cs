using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;

namespace Weir.Lab.Isolation;

/// <summary>The experiments of document 003 as a contender, for a host on either runtime.</summary>
/// <remarks>Environments stay open between rounds, as the document measured them: their start is another experiment.</remarks>
public sealed class IsolationHost : IDisposable
{
    // Bounded by the kinds of environment a run asks for.
    private readonly Dictionary<string, IsolatedWorker> _open = new Dictionary<string, IsolatedWorker>();
    // Bounded by the two bursts of a run.
    private readonly List<PendingTask> _submitted = new List<PendingTask>();
    private readonly Dictionary<string, Action<ControlLine>> _starts = new Dictionary<string, Action<ControlLine>>
    {
        ["in-process"] = _ => Empty.Program.Main(),
        ["thread"] = _ => OnThread(Empty.Program.Main),
        ["process"] = request => new WorkerProgram(request["runner"], request["empty"]).RunToEnd(),
#if NETFRAMEWORK
        ["appdomain"] = _ => InDomain(),
#endif
    };

    /// <summary>Adds an environment that only one runtime has.</summary>
    public IsolationHost WithStart(string environment, Action<ControlLine> start)
    {
        _starts[environment] = start;
        return this;
    }

    public IEnumerable<ControlLine> Answer(ControlLine request) => request.Verb switch
    {
        "start" => Start(request),
        "tasks" => OneAtATime(request),
        "pool" => InFlight(request),
        "burst" => Burst(request),
        "stop" => StopPool(request),
        "chaos" => Chaos(request),
        "neighbour" => Neighbourhood.Run(request),
        "answer" => new[] { new ControlLine("ok").With("answer", Hash(request)) },
        _ => throw new NotSupportedException($"Unknown verb '{request.Verb}'."),
    };

    public void Dispose()
    {
        foreach (var worker in _open.Values)
            worker.Dispose();
        _open.Clear();
    }

    private static void OnThread(ThreadStart start)
    {
        var thread = new Thread(start);
        thread.Start();
        thread.Join();
    }

#if NETFRAMEWORK
    private static void InDomain()
    {
        var domain = AppDomain.CreateDomain("empty");
        domain.ExecuteAssemblyByName(typeof(Empty.Program).Assembly.FullName);
        AppDomain.Unload(domain);
    }
#endif

    private IEnumerable<ControlLine> Start(ControlLine request)
    {
        var start = _starts[request["environment"]];
        var count = request.Int("count");
        var watch = Stopwatch.StartNew();
        for (var i = 0; i < count; i++)
            start(request);

        var seconds = watch.Elapsed.TotalSeconds;
        yield return Readings.Reading("starts/s", count / seconds, "1/s");
        yield return Readings.Reading("start", seconds * 1000 / count, "ms");
        yield return Readings.Done();
    }

    private IEnumerable<ControlLine> OneAtATime(ControlLine request)
    {
        var worker = Open(request);
        var isValue = request.Is("mode", LineProtocol.Value);
        var bytes = request.Int("bytes");
        var ticks = new long[request.Int("count")];
        var watch = Stopwatch.StartNew();
        for (var i = 0; i < ticks.Length; i++)
        {
            var before = watch.ElapsedTicks;
            using (var pending = isValue ? worker.QueueTask(bytes) : worker.QueueTask(new byte[bytes]))
                pending.Done.Wait();
            ticks[i] = watch.ElapsedTicks - before;
        }

        foreach (var line in Readings.OfRoundTrips(ticks, watch.Elapsed.TotalSeconds))
            yield return line;
        yield return Readings.Done();
    }

    // As many as the environment takes: the document's pool is bounded by its queue and its workers.
    private IEnumerable<ControlLine> InFlight(ControlLine request)
    {
        var worker = Open(request);
        var bytes = request.Int("bytes");
        var pending = new PendingTask[request.Int("count")];
        var watch = Stopwatch.StartNew();
        for (var i = 0; i < pending.Length; i++)
            pending[i] = worker.QueueTask(new byte[bytes]);
        foreach (var task in pending)
            task.Done.Wait();

        yield return Readings.Reading("tasks/s", pending.Length / watch.Elapsed.TotalSeconds, "1/s");
        yield return Readings.Done();
        foreach (var task in pending)
            task.Dispose();
    }

    // Submits and does not wait: what the pool does meanwhile is seen from outside.
    private IEnumerable<ControlLine> Burst(ControlLine request)
    {
        var worker = Open(request);
        for (var i = request.Int("count"); i > 0; i--)
            _submitted.Add(worker.QueueTask(new byte[request.Int("bytes")]));
        yield return Readings.Done();
    }

    // How many tasks were not done when stopping said that all was.
    private IEnumerable<ControlLine> StopPool(ControlLine request)
    {
        Open(request).Stop();
        var unfinished = _submitted.Count(pending => !pending.Done.IsSet);
        _open.Remove(KeyOf(request));
        _submitted.Clear();
        yield return new ControlLine("ok").With("unfinished", unfinished);
    }

    // Writes every ending as the caller sees it, for the lab to compare with what the workers wrote.
    private IEnumerable<ControlLine> Chaos(ControlLine request)
    {
        Environment.SetEnvironmentVariable(Witness.FolderVariable, request["folder"]);
        using (var log = new StreamWriter(Path.Combine(request["folder"], "host")) { AutoFlush = true })
        {
            var worker = Open(request);
            var window = new Queue<KeyValuePair<int, PendingTask>>();
            for (var number = 0; number < request.Int("count"); number++)
            {
                var buffer = new byte[request.Int("bytes")];
                BitConverter.GetBytes((long)number).CopyTo(buffer, 0);
                window.Enqueue(new KeyValuePair<int, PendingTask>(number, worker.QueueTask(buffer)));
                if (window.Count == request.Int("window"))
                    End(window.Dequeue());
            }

            while (window.Count > 0)
                End(window.Dequeue());

            // A caller of this design learns of an ending, never of a failure.
            void End(KeyValuePair<int, PendingTask> task)
            {
                task.Value.Done.Wait();
                log.WriteLine($"ok {task.Key}");
            }
        }

        yield return Readings.Done();
    }

    // The same bytes for every contender: 0, 1, 2, …
    private string Hash(ControlLine request)
    {
        var bytes = new byte[request.Int("bytes")];
        for (var i = 0; i < bytes.Length; i++)
            bytes[i] = (byte)i;

        using (var worker = Create(request, TaskKind.Hash))
        using (var pending = worker.QueueTask(bytes))
        {
            pending.Done.Wait();
            return pending.ReturnValue ?? "nothing";
        }
    }

    private IsolatedWorker Open(ControlLine request)
    {
        var key = KeyOf(request);
        if (!_open.TryGetValue(key, out var worker))
            _open[key] = worker = Create(request, (TaskKind)Enum.Parse(typeof(TaskKind), request["kind"]));
        return worker;
    }

    private static string KeyOf(ControlLine request) => string.Join("/", request["environment"], request["mode"], request["kind"]);

    private static IsolatedWorker Create(ControlLine request, TaskKind kind)
    {
        switch (request["environment"])
        {
            case "in-process":
                return new InProcessWorker(kind);
#if NETFRAMEWORK
            case "appdomain":
                return new AppDomainWorker(kind);
#endif
            case "process":
                return new SingleProcessWorker(new WorkerProgram(request["runner"], request["worker"]), request.Text("mode", LineProtocol.Blob), kind);
            case "pool":
                return new ProcessPoolWorker(
                    new WorkerProgram(request["runner"], request["worker"]), LineProtocol.Blob, kind, request.Int("min", 1), request.Int("max", 20), request.Int("idle", 10000));
            default:
                throw new NotSupportedException(string.Format(CultureInfo.InvariantCulture, "Unknown environment '{0}'.", request["environment"]));
        }
    }
}
