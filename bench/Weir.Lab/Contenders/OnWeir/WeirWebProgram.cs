using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Weir behind Kestrel as an application has it: <c>AddWeir</c>, <c>MapWeir</c>, metrics listened to.</summary>
internal sealed class WeirWebProgram : WebProgram
{
    private readonly MetricsListener _metrics = new();

    /// <summary>With <c>workers=1</c> a worker for isolated streams is kept ready.</summary>
    protected override void Configure(WebApplicationBuilder builder, ControlLine settings) =>
        builder.Services.AddWeir(weir => WeirPools.Configure(weir, "weather", settings.Int("workers", 0)));

    protected override void Map(WebApplication application, ControlLine settings)
    {
        application.MapWeir();
        application.MapBrowserPage();
    }

    public override ValueTask DisposeAsync()
    {
        _metrics.Dispose();
        return base.DisposeAsync();
    }
}
