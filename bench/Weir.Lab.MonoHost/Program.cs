using System;
using Weir.Lab.Isolation;

namespace Weir.Lab.MonoHost;

/// <summary>The host of document 003 on .NET Framework, as a contender of the lab.</summary>
internal static class Program
{
    private static void Main()
    {
        using (var host = new IsolationHost())
            ContenderLoop.Run(new ControlLine("ready").With("runtime", $"Mono, CLR {Environment.Version}"), host.Answer);
    }
}
