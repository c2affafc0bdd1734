using System.Reflection;
using System.Runtime.Loader;
using Microsoft.Extensions.Hosting;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Isolation;

/// <summary>Document 003's host on the runtime of today, with the environments that only this runtime has.</summary>
internal sealed class IsolationProgram : ContenderProgram
{
    private readonly IsolationHost _host = new IsolationHost()
        .WithStart("GenericHost", _ => InHost())
        .WithStart("AssemblyLoadContext", InLoadContext);

    static IsolationProgram() => Neighbourhood.Environments["AssemblyLoadContext"] = BehaveInLoadContext;

    public override Task<IEnumerable<ControlLine>> LinesAsync(ControlLine request) => Task.FromResult(request.Verb switch
    {
        "parallel" => AllCores.Run(request),
        "parallel-answer" => [new ControlLine("ok").With("answer", AllCores.Answer(request.Int("bytes")))],
        _ => _host.Answer(request),
    });

    public override ValueTask DisposeAsync()
    {
        _host.Dispose();
        return base.DisposeAsync();
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

    // His own copy of the assembly, and so of its statics; everything else he shares.
    private static void BehaveInLoadContext(string how)
    {
        var context = new AssemblyLoadContext("neighbour");
        var neighbour = context.LoadFromAssemblyPath(typeof(BadNeighbour).Assembly.Location).GetType(typeof(BadNeighbour).FullName!)!;
        neighbour.GetMethod(nameof(BadNeighbour.Behave))!.Invoke(Activator.CreateInstance(neighbour), BindingFlags.DoNotWrapExceptions, null, [how], null);
    }
}
