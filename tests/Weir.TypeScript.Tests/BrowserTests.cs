using Microsoft.Playwright;
using Weir.IntegrationTests.Browser;
using Weir.TypeScript.Tests.Application;
using Xunit;

namespace Weir.TypeScript.Tests;

/// <summary>The same files in Chromium, and the showcase from both.</summary>
public sealed class BrowserTests
{
    [Fact]
    public async Task Every_kind_of_operation_is_called_from_Chromium()
    {
        await using var chromium = await Chromium.StartAsync();
        await using var echo = await RunningEcho.StartAsync();
        var folder = await Toolchain.WriteAsync("browser", echo.Address, "use.ts");
        await Toolchain.CompileAsync(folder, "use.ts");
        await EvaluateAsync(chromium, echo.Address + "/v1/Echo/Removed", folder, "const { use } = await import('/files/use.js'); await use('', true);");
    }

    [Fact]
    public async Task Jobs_are_used_from_Chromium()
    {
        await using var chromium = await Chromium.StartAsync();
        await using var reports = await RunningReports.StartAsync();
        var folder = await Toolchain.WriteAsync("reports-browser", reports.Address, "reports.ts");
        await Toolchain.CompileAsync(folder, "reports.ts");
        await EvaluateAsync(chromium, reports.Address + "/v1/Reports/Charged", folder, "const { use } = await import('/files/reports.js'); await use({});");
    }

    [Fact]
    public async Task The_showcase_is_used_from_Node_by_a_client_of_its_assembly()
    {
        await using var showcase = await RunningShowcase.StartAsync();
        var folder = await Toolchain.WriteAsync("showcase-node", RunningShowcase.Assembly, "showcase.ts");
        await Toolchain.CompileAsync(folder, "showcase.ts");
        Assert.Equal("done\n", await Toolchain.NodeAsync(folder, "showcase.js", showcase.Address));
    }

    [Fact]
    public async Task The_showcase_is_used_from_Chromium_by_a_client_of_its_assembly()
    {
        await using var chromium = await Chromium.StartAsync();
        await using var showcase = await RunningShowcase.StartAsync();
        var folder = await Toolchain.WriteAsync("showcase-browser", RunningShowcase.Assembly, "showcase.ts");
        await Toolchain.CompileAsync(folder, "showcase.ts");
        await EvaluateAsync(chromium, showcase.Address, folder, "const { show } = await import('/files/showcase.js'); await show('');");
    }

    // The files come from the origin of the service, as those of its own page would.
    private static async Task EvaluateAsync(Chromium chromium, string address, string folder, string script)
    {
        var page = await chromium.OpenAsync();
        await page.RouteAsync("**/files/*", route => route.FulfillAsync(new() { Path = Path.Combine(folder, Path.GetFileName(new Uri(route.Request.Url).AbsolutePath)), ContentType = "text/javascript" }));
        await page.GotoAsync(address, new() { WaitUntil = WaitUntilState.DOMContentLoaded });
        var result = await page.EvaluateAsync<string>($"async () => {{ try {{ {script} return 'done'; }} catch (error) {{ return `${{error.name}}: ${{error.message}} ${{error.stack}}`; }} }}");
        Assert.Equal("done", result);
    }
}
