using System.Reflection;
using System.Runtime.Loader;
using Microsoft.Extensions.Hosting;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Isolation;

/// <summary>Document 003's host on the runtime of today, with the environments that only this runtime has.</summary>
internal sealed class IsolationProgram : ContenderProgram
{
    private readonly IsolationHost _host = new IsolationHost()
        .WithStart("GenericHost", _ => InHost())
        .WithStart("AssemblyLoadContext", InLoadContext);

    private readonly ProcessKinds _kinds = new();

    static IsolationProgram() => Neighbourhood.Environments["AssemblyLoadContext"] = BehaveInLoadContext;

    public override async Task<IEnumerable<ControlLine>> LinesAsync(ControlLine request) => request.Verb switch
    {
        "parallel" => AllCores.Run(request),
        "parallel-answer" => [new ControlLine("ok").With("answer", AllCores.Answer(request.Int("bytes")))],
        "kinds" => Open(request),
        "rare" => await RareCalls.RunAsync(_kinds.Count, request, kind => _kinds.CallAsync(kind, request.Int("bytes"))),
        _ => _host.Answer(request),
    };

    public override ValueTask DisposeAsync()
    {
        _kinds.Dispose();
        _host.Dispose();
        return base.DisposeAsync();
    }

    private IEnumerable<ControlLine> Open(ControlLine request)
    {
        _kinds.Open(request);
        return [Readings.Done()];
    }

    private static void InHost()
    {
        using var host = Host.CreateApplicationBuilder().Build();
        host.Start();
        Empty.Program.Main();
        host.StopAsync().GetAwaiter().GetResult();
    }

    private static void InLoadContext(ControlLine request)
    {
        var context = new AssemblyLoadContext("empty", isCollectible: true);
        context.LoadFromAssemblyPath(request["empty"]).EntryPoint!.Invoke(null, BindingFlags.DoNotWrapExceptions, null, null, null);
        context.Unload();
    }

    // The neighbour has its own copy of the assembly, and so of its statics. It shares everything else.
    private static void BehaveInLoadContext(string how)
    {
        var context = new AssemblyLoadContext("neighbour");
        var neighbour = context.LoadFromAssemblyPath(typeof(BadNeighbour).Assembly.Location).GetType(typeof(BadNeighbour).FullName!)!;
        neighbour.GetMethod(nameof(BadNeighbour.Behave))!.Invoke(Activator.CreateInstance(neighbour), BindingFlags.DoNotWrapExceptions, null, [how], null);
    }
}
