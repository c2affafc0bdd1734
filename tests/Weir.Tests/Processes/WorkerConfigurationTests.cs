using Microsoft.Extensions.Configuration;
using Weir.Execution.Pools.Options;
using Weir.Execution.Processes;
using Weir.Tests.Worker;

namespace Weir.Tests.Processes;

public class WorkerConfigurationTests
{
    private static readonly IConfigurationRoot Host = new ConfigurationBuilder().AddInMemoryCollection(new Dictionary<string, string?>
    {
        ["ConnectionStrings:Main"] = "main",
        ["Reports"] = "own value",
        ["Reports:Printer:Name"] = "p1",
        ["Reports:Language"] = "",
        ["ReportsOfOthers:Key"] = "others",
        ["Weir:Pools:other:Configuration:password"] = "secret",
        ["Nothing"] = null,
    }).Build();

    [Fact]
    public void Everything_is_inherited_but_how_Weir_runs_in_the_host() =>
        Assert.Equal(
            ["ConnectionStrings:Main=main", "Reports:Language=", "Reports:Printer:Name=p1", "Reports=own value", "ReportsOfOthers:Key=others"],
            Entries(Host, new PoolOptions()));

    [Theory]
    [InlineData("reports", "Reports:Language=", "Reports:Printer:Name=p1", "Reports=own value")]
    [InlineData("Reports:Printer", "Reports:Printer:Name=p1")]
    [InlineData("Reports:Printer:Name", "Reports:Printer:Name=p1")]
    [InlineData("Weir:Pools:other", "Weir:Pools:other:Configuration:password=secret")]
    [InlineData("Unknown")]
    public void A_named_section_is_inherited_with_everything_below_it_and_nothing_else(string section, params string[] entries) =>
        Assert.Equal(entries, Entries(Host, new PoolOptions { InheritedConfiguration = [section] }), StringComparer.OrdinalIgnoreCase);

    [Fact]
    public void An_empty_list_inherits_nothing_and_sections_may_overlap()
    {
        Assert.Empty(Entries(Host, new PoolOptions { InheritedConfiguration = [] }));
        Assert.Equal(3, Entries(Host, new PoolOptions { InheritedConfiguration = ["Reports:Printer", "Reports", "REPORTS"] }).Count());
    }

    [Fact]
    public void An_entry_of_the_pool_overrides_what_is_inherited_whatever_the_case_of_its_key()
    {
        var options = new PoolOptions { InheritedConfiguration = ["Reports:Printer"] };
        options.Configuration["reports:printer:NAME"] = "p2";
        options.Configuration["Own"] = "own";
        Assert.Equal(["Own=own", "Reports:Printer:Name=p2"], Entries(Host, options), StringComparer.OrdinalIgnoreCase);
        Assert.Equal(["Own=own", "reports:printer:NAME=p2"], Entries(null, options));
    }

    [Fact]
    public void It_is_read_each_time_and_a_section_given_as_the_hosts_is_the_root()
    {
        var host = new ConfigurationBuilder().AddInMemoryCollection([new("App:Reports:Printer", "p1")]).Build();
        Assert.Equal(["Reports:Printer=p1"], Entries(host.GetSection("App"), new PoolOptions()));
        host["App:Reports:Printer"] = "p2";
        Assert.Equal(["Reports:Printer=p2"], Entries(host.GetSection("App"), new PoolOptions { InheritedConfiguration = ["Reports"] }));
    }

    [Fact]
    public void One_that_is_too_large_is_refused_with_its_size_and_the_next_step()
    {
        var host = new ConfigurationBuilder().AddInMemoryCollection([new("Text", new string('x', 999_980))]).Build();
        Assert.Single(Entries(host, new PoolOptions()));
        host["Further"] = "x";
        var failure = Assert.Throws<LaunchException>(() => Entries(host, new PoolOptions()));
        Assert.Equal(WeirCodes.ConfigurationTooLarge, failure.Code);
        Assert.Contains("1000008 bytes", failure.Message, StringComparison.Ordinal);
        Assert.Contains("set InheritedConfiguration", failure.Message, StringComparison.Ordinal);
        Assert.Single(Entries(host, new PoolOptions { InheritedConfiguration = ["Further"] }));
    }

    [Fact]
    public void Only_pools_in_which_a_WorkerServices_method_runs_use_it()
    {
        Assert.True(IsUsed(new TestCatalog { NeedsServices = true, RegisterServices = static (_, _) => { } }.Sync(static (_, _) => "")));
        Assert.True(IsUsed(new TestCatalog { NeedsServices = true, WorkerServices = static _ => null }.Sync(static (_, _) => "")));
        Assert.True(IsUsed(new TestCatalog { RegisterServices = static (_, _) => { } }.Sync(static (_, _) => "", usesContext: true)));
        Assert.False(IsUsed(new TestCatalog { NeedsServices = true }.Sync(static (_, _) => "")));
        Assert.False(IsUsed(new TestCatalog { RegisterServices = static (_, _) => { } }.Sync(static (_, _) => "")));
        Assert.False(IsUsed(new TestCatalog { NeedsServices = true, RegisterServices = static (_, _) => { } }.Sync(static (_, _) => "", pool: "other")));
    }

    private static bool IsUsed(TestCatalog catalog) => WorkerConfiguration.IsUsed(
        [catalog], TestCatalog.Pool, [.. catalog.Services.SelectMany(static service => service.Operations).Where(static operation => operation.Pool == TestCatalog.Pool)]);

    private static IEnumerable<string> Entries(IConfiguration? host, PoolOptions options) =>
        WorkerConfiguration.From(host, options).Select(static entry => $"{entry.Key}={entry.Value}").Order(StringComparer.Ordinal);
}
