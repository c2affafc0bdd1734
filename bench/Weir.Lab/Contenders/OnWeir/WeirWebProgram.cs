using System.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Weir behind Kestrel as an application has it: <c>AddWeir</c>, <c>MapWeir</c>, metrics listened to.</summary>
internal sealed class WeirWebProgram : WebProgram
{
    private const string Anyone = "anyone";

    private readonly MetricsListener _metrics = new();
    private bool _burnsOnThreads;
    private IServiceProvider? _services;
    private Burning? _burning;

    /// <summary>With <c>workers=1</c> a worker is kept ready, for isolated streams or in the <c>pool</c> that is named, of a <c>priority</c> or with a <c>queue</c> where one is; <c>authorization=yes</c> adds policies, <c>dashboard=yes</c> a dashboard that anyone may read, and <c>dashboard=acts</c> one by which anyone may act; <c>senderStall</c> is how many seconds the sender of items may take for the next one.</summary>
    protected override void Configure(WebApplicationBuilder builder, ControlLine settings)
    {
        _burnsOnThreads = settings.Is("burn", "threads");
        var pool = settings.Text("pool", "weather");
        if (settings.Is("authorization", "yes"))
            builder.Services.AddAuthorization(static authorization => authorization.AddPolicy(Anyone, static policy => policy.RequireAssertion(static _ => true)));
        if (settings.Int("senderStall", 0) is > 0 and var seconds)
            builder.Services.Configure<WeirServerOptions>(options => options.SenderStallTimeout = TimeSpan.FromSeconds(seconds));
        builder.Services.AddWeir(weir =>
        {
            WeirPools.Configure(weir, pool, settings.Int("workers", 0));
            if (settings.Int("queue", -1) is >= 0 and var queue)
                weir.Pool(pool).QueueLimit = queue;
            if (settings.Text("priority", "") is { Length: > 0 } priority)
                weir.Pool(pool).Priority = Enum.Parse<ProcessPriorityClass>(priority);
        });
    }

    protected override void Map(WebApplication application, ControlLine settings)
    {
        _services = application.Services;
        application.MapWeir();
        if (settings.Text("dashboard", "no") is not "no" and var dashboard)
            application.MapWeirDashboard(configure: options => options.ActionPolicy = dashboard == "acts" ? Anyone : null).RequireAuthorization(Anyone);
        application.MapBrowserPage();
    }

    /// <summary><c>burn</c> keeps every processor busy until <c>calm</c>.</summary>
    public override async Task<ControlLine> AskAsync(ControlLine request)
    {
        switch (request.Verb)
        {
            case "burn":
                _burning = new Burning(_burnsOnThreads, _services!.GetRequiredService<IWorkerProbeClient>());
                _burning.Start();
                return new ControlLine("ok");
            case "calm":
                await _burning!.StopAsync();
                _burning.Dispose();
                _burning = null;
                return new ControlLine("ok");
            default:
                return await base.AskAsync(request);
        }
    }

    public override ValueTask DisposeAsync()
    {
        _burning?.Dispose();
        _metrics.Dispose();
        return base.DisposeAsync();
    }
}
