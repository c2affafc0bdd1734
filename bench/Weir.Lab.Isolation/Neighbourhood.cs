using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;

namespace Weir.Lab.Isolation;

/// <summary>A victim and a bad neighbour in one house: what the victim feels.</summary>
public static class Neighbourhood
{
    /// <summary>Environments that only one runtime has add themselves here; each lets the neighbour behave.</summary>
    public static Dictionary<string, Action<string>> Environments { get; } = new Dictionary<string, Action<string>>
    {
        ["in-process"] = how => new BadNeighbour().Behave(how),
        ["thread"] = OnThread,
#if NETFRAMEWORK
        ["appdomain"] = InDomain,
#endif
    };

    /// <summary><c>environment</c>, <c>how</c>, <c>seconds</c>: the victim's job alone and beside, his errors, the static he sees.</summary>
    public static IEnumerable<ControlLine> Run(ControlLine request)
    {
        var duration = TimeSpan.FromSeconds(double.Parse(request["seconds"], CultureInfo.InvariantCulture));
        Victim.Work(duration);
        var alone = Victim.Work(duration);
        Environments[request["environment"]](request["how"]);
        var beside = Victim.Work(duration);
        return Felt(alone, beside, BadNeighbour.InitCount);
    }

    /// <summary>What the victim felt, as readings.</summary>
    public static IEnumerable<ControlLine> Felt(Victim alone, Victim beside, int initCount)
    {
        yield return Readings.Reading("victim errors", beside.Errors, "");
        if (beside.JobMicroseconds > 0)
            yield return Readings.Reading("job time, × alone", beside.JobMicroseconds / alone.JobMicroseconds, "");
        yield return Readings.Reading("InitCount", initCount, "");
        yield return Readings.Reading("host died", 0, "");
        yield return Readings.Done();
    }

    private static void OnThread(string how)
    {
        var thread = new Thread(() => new BadNeighbour().Behave(how)) { IsBackground = true };
        thread.Start();
        thread.Join(TimeSpan.FromSeconds(5));
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
