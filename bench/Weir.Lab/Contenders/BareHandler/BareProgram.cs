using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.BareHandler;

/// <summary>One middleware that does everything: document 004's raw handler, synchronous and asynchronous writes alike.</summary>
internal sealed class BareProgram : WebProgram
{
    protected override void Map(WebApplication application, ControlLine settings) => application.Run(static context =>
    {
        var query = context.Request.Query;
        if (context.Request.Path != "/perf/echo")
            return context.Response.WriteAsync("Hello, world");

        var x = int.Parse(query["x"].ToString(), CultureInfo.InvariantCulture);
        var y = int.Parse(query["y"].ToString(), CultureInfo.InvariantCulture);
        var e = Enum.Parse<Fruit>(query["e"].ToString(), ignoreCase: true);
        return context.Response.WriteAsJsonAsync(Echo.Of(query["name"].ToString(), x, y, e));
    });
}
