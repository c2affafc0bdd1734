using Weir.IntegrationTests.Packaging;
using Xunit;

namespace Weir.TypeScript.Tests;

/// <summary>The modules of the dashboard's page: strict types, and what they make of the data.</summary>
public sealed class PageModuleTests
{
    [Fact]
    public async Task The_modules_of_the_dashboard_have_strict_types_and_read_histories_events_and_values_right()
    {
        var folder = await Toolchain.CheckAsync(Path.Combine(RepositoryRoot.Path, "src", "Weir.Dashboard", "Page"), "page.js");
        Assert.Equal("done\n", await Toolchain.NodeAsync(folder, "page.js"));
    }
}
