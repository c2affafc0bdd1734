using System;
using System.Collections.Generic;
using System.Threading;

namespace Weir.Lab.Isolation;

/// <summary>A victim and a bad neighbour in one host: how the victim is affected.</summary>
public static class Neighbourhood
{
    // A neighbour that has not ended by then never will.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    /// <summary>Environments that only one runtime has add themselves here; each lets the neighbour behave and returns when he has.</summary>
    public static Dictionary<string, Action<string>> Environments { get; } = new Dictionary<string, Action<string>>
    {
        ["in-process"] = how => new BadNeighbour().Behave(how),
        ["thread"] = OnThread,
#if NETFRAMEWORK
        ["appdomain"] = InDomain,
#endif
    };

    /// <summary>The neighbour lives in the request's <c>environment</c>.</summary>
    public static IEnumerable<ControlLine> Run(ControlLine request) => Run(request, Environments[request["environment"]]);

    /// <summary>
    /// <c>how</c>, <c>seconds</c>: the victim's job alone and beside the neighbour, its errors, the static that it reads. In every
    /// environment the neighbour has a caller of its own. The victim is measured until the neighbour has finished, where that takes
    /// time, and afterwards where the damage is done at once and stays.
    /// </summary>
    public static IEnumerable<ControlLine> Run(ControlLine request, Action<string> behave)
    {
        var how = request["how"];
        var duration = TimeSpan.FromSeconds(request.Number("seconds"));
        Victim.Work(TimeSpan.FromTicks(duration.Ticks / 2));
        var alone = Victim.Work(duration);

        var neighbour = new Thread(() => behave(how)) { IsBackground = true, Name = "lab neighbour" };
        neighbour.Start();
        if (how == "cpu" || how == "statics")
            neighbour.Join(Patience);
        var beside = Victim.Work(duration, () => neighbour.IsAlive, duration + Patience);

        yield return Readings.Reading("victim errors", beside.Errors, "");
        if (beside.JobMicroseconds > 0)
            yield return Readings.Reading("job time, × alone", beside.JobMicroseconds / alone.JobMicroseconds, "");
        yield return Readings.Reading("InitCount", BadNeighbour.InitCount, "");
        yield return Readings.Reading("host died", 0, "");
        yield return Readings.Done();
    }

    private static void OnThread(string how)
    {
        var thread = new Thread(() => new BadNeighbour().Behave(how)) { IsBackground = true };
        thread.Start();
        thread.Join();
    }

#if NETFRAMEWORK
    private static void InDomain(string how)
    {
        var domain = AppDomain.CreateDomain("neighbour");
        var neighbour = (BadNeighbour)domain.CreateInstanceAndUnwrap(typeof(BadNeighbour).Assembly.FullName, typeof(BadNeighbour).FullName);
        neighbour.Behave(how);
    }
#endif
}
