using System;
using System.Collections.Generic;
using System.Reflection;
using Weir.Lab.Isolation;

namespace Weir.Lab.MonoHost;

/// <summary>The documents' hosts on .NET Framework, as a contender of the lab.</summary>
internal static class Program
{
    private static void Main()
    {
        using (var host = new IsolationHost())
            ContenderLoop.Run(new ControlLine("ready").With("runtime", Runtime), request => Answer(host, request));
    }

    // Mono has no public property for its version.
    private static string Runtime =>
        "Mono " + (Type.GetType("Mono.Runtime")?.GetMethod("GetDisplayName", BindingFlags.NonPublic | BindingFlags.Static)?.Invoke(null, null) ?? "of unknown version");

    private static IEnumerable<ControlLine> Answer(IsolationHost host, ControlLine request) => request.Verb switch
    {
        "sleep" => SleepingTasks.Run(request),
        "sleep-answer" => new[] { SleepingTasks.Answer(request) },
        _ => host.Answer(request),
    };
}
