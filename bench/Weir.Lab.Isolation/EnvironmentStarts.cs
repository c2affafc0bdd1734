using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Weir.Lab.Isolation;

/// <summary>Environments that are made, used for an empty <c>Main</c>, and thrown away: each one timed.</summary>
public sealed class EnvironmentStarts
{
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
    public void Add(string environment, Action<ControlLine> start) => _starts[environment] = start;

    /// <summary><c>environment</c>, <c>count</c>: starts per second, and the median of one.</summary>
    public IEnumerable<ControlLine> Run(ControlLine request)
    {
        var start = _starts[request["environment"]];
        var ticks = new long[request.Int("count")];
        var watch = Stopwatch.StartNew();
        for (var i = 0; i < ticks.Length; i++)
        {
            var before = watch.ElapsedTicks;
            start(request);
            ticks[i] = watch.ElapsedTicks - before;
        }

        return Readings.OfStarts(ticks, watch.Elapsed.TotalSeconds);
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
}
