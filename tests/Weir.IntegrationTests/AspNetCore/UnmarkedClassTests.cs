using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Logging;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>A class that implements a contract and is not marked is named when the application starts: nothing serves it.</summary>
public sealed class UnmarkedClassTests
{
    [Fact]
    public async Task The_start_names_it()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup { Catalogs = [new ProbeCatalog(), new UnmarkedCatalog()] });
        var line = Assert.Single(host.Log.Lines, static one => one.Event == 4232);
        Assert.Equal(LogLevel.Information, line.Level);
        Assert.Equal($"Shop.Products implements the contract {Contract} and is not marked [Service], so nothing serves it. See WEIR1056.", line.Text);
    }

    [Fact]
    public async Task Mapping_its_contract_is_an_error_that_names_it()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(), new UnmarkedCatalog()],
            After = static (app, _) => app.MapWeirService<IUnserved>(),
        }));
        Assert.StartsWith($"MapWeirService<{Contract}>: Shop.Products is not marked, so nothing serves it (WEIR1056). Mark the class [Service], or write one of ", error.Message, StringComparison.Ordinal);
    }

    private const string Contract = "Weir.IntegrationTests.AspNetCore.UnmarkedClassTests.IUnserved";

    private interface IUnserved;

    private sealed class UnmarkedCatalog : ServiceCatalog
    {
        public override string AssemblyName => "Shop";

        public override Guid Identity => Guid.Empty;

        public override IReadOnlyList<Service> Services => [];

        public override IReadOnlyList<Proxy> Proxies => [];

        public override IReadOnlyList<KeyValuePair<string, string>> Unmarked => [new(Contract, "Shop.Products")];
    }
}
