using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Weir.Lab.Isolation;

/// <summary>The experiments of document 003 as a contender, for a host on either runtime.</summary>
/// <remarks>Environments stay open between rounds, as the document measured them: their start is another experiment.</remarks>
public sealed class IsolationHost : IDisposable
{
    // Bounded by the kinds of environment a run asks for.
    private readonly Dictionary<string, IsolatedWorker> _open = new Dictionary<string, IsolatedWorker>();
    // Bounded by the two bursts of a run.
    private readonly List<PendingTask> _submitted = new List<PendingTask>();
    private readonly EnvironmentStarts _starts = new EnvironmentStarts();

    /// <summary>Adds an environment that only one runtime has.</summary>
    public IsolationHost WithStart(string environment, Action<ControlLine> start)
    {
        _starts.Add(environment, start);
        return this;
    }

    public IEnumerable<ControlLine> Answer(ControlLine request) => request.Verb switch
    {
        "start" => _starts.Run(request),
        "tasks" => TaskRounds.OneAtATime(Open(request), request),
        "pool" => TaskRounds.InFlight(Open(request), request),
        "burst" => Burst(request),
        "stop" => StopPool(request),
        "chaos" => ChaosRun.Run(() => Open(request), request),
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

    // Submits and does not wait: the lab observes the pool from outside during that time.
    private IEnumerable<ControlLine> Burst(ControlLine request)
    {
        var worker = Open(request);
        for (var i = request.Int("count"); i > 0; i--)
            _submitted.Add(worker.QueueTask(new byte[request.Int("bytes")]));
        yield return Readings.Done();
    }

    // How many tasks were not done when Stop returned, although it should wait for all of them.
    private IEnumerable<ControlLine> StopPool(ControlLine request)
    {
        Open(request).Stop();
        var unfinished = _submitted.Count(pending => !pending.Done.IsSet);
        _open.Remove(KeyOf(request));
        _submitted.Clear();
        yield return new ControlLine("ok").With("unfinished", unfinished);
    }

    private string Hash(ControlLine request)
    {
        using (var worker = Create(request, TaskKind.Hash))
        using (var pending = worker.QueueTask(HelloAnswer.Counting(request.Int("bytes"))))
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
