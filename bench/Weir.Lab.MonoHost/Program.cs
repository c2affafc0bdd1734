using System;
using System.Collections.Generic;
using Weir.Lab.Isolation;

namespace Weir.Lab.MonoHost;

/// <summary>The documents' hosts on .NET Framework, as a contender of the lab.</summary>
internal static class Program
{
    private static void Main()
    {
        using (var host = new IsolationHost())
            ContenderLoop.Run(new ControlLine("ready").With("runtime", $"Mono, CLR {Environment.Version}"), request => Answer(host, request));
    }

    private static IEnumerable<ControlLine> Answer(IsolationHost host, ControlLine request) => request.Verb switch
    {
        "sleep" => SleepingTasks.Run(request),
        "sleep-answer" => new[] { SleepingTasks.Answer() },
        _ => host.Answer(request),
    };
}
