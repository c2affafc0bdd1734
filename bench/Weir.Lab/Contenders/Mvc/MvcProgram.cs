using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Mvc;

/// <summary>Controllers, as documents 000, 001 and 004 had them.</summary>
internal sealed class MvcProgram : WebProgram
{
    protected override void Configure(WebApplicationBuilder builder, ControlLine settings) =>
        builder.Services.AddControllers().ConfigureApplicationPartManager(parts => parts.FeatureProviders.Add(new InternalControllers()));

    protected override void Map(WebApplication application, ControlLine settings)
    {
        application.MapControllers();
        application.MapBrowserPage();
    }
}
