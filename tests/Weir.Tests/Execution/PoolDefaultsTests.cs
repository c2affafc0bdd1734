using System.Text;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Weir.Runtime;
using Weir.Tests.Processes;

namespace Weir.Tests.Execution;

public sealed class PoolDefaultsTests
{
    public static TheoryData<string> Options => new(typeof(PoolOptions).GetProperties().Where(static property => property.CanWrite).Select(static property => property.Name));

    [Theory]
    [MemberData(nameof(Options))]
    public void Every_option_of_a_pool_has_the_default_unless_it_is_set_whichever_was_first(string option)
    {
        var property = typeof(PoolOptions).GetProperty(option)!;
        var builtIn = property.GetValue(new PoolOptions());
        var other = PoolOptionsTests.Other(property.PropertyType, builtIn);
        var weir = new WeirOptions();
        var (plain, own) = (weir.Pool("plain"), weir.Pool("own"));
        property.SetValue(own, builtIn);

        property.SetValue(weir.PoolDefaults, other);
        property.SetValue(weir.Pool("later"), builtIn);

        Assert.Equivalent(other, property.GetValue(plain), strict: true);
        Assert.Equivalent(other, property.GetValue(plain.Merged()), strict: true);
        Assert.Equal(builtIn, property.GetValue(own));
        Assert.Equal(builtIn, property.GetValue(own.Merged()));
        Assert.Equal(builtIn, property.GetValue(weir.Pool("later").Merged()));
        Assert.Equal(builtIn, property.GetValue(new PoolOptions()));
    }

    [Fact]
    public void A_queue_follows_the_pools_own_maximum_until_a_default_sets_it()
    {
        var weir = new WeirOptions();
        weir.Pool("p").MaxWorkers = 7;
        Assert.Equal(70, weir.Pool("p").QueueLimit);
        weir.PoolDefaults.QueueLimit = 3;
        Assert.Equal(3, weir.Pool("p").QueueLimit);
    }

    [Fact]
    public void A_list_replaces_the_default_as_a_whole_and_a_default_one_cannot_be_changed_through_a_pool()
    {
        var weir = new WeirOptions();
        weir.PoolDefaults.Processors = [0, 1];
        weir.Pool("own").Processors = [2];
        weir.Pool("own").Processors!.Add(3);

        Assert.Equal([2, 3], weir.Pool("own").Merged().Processors!);
        Assert.Throws<NotSupportedException>(() => weir.Pool("plain").Processors!.Add(3));
        weir.PoolDefaults.Processors.Add(4);
        Assert.Equal([0, 1, 4], weir.Pool("plain").Merged().Processors!);
    }

    [Fact]
    public void Entries_are_added_by_name_and_those_of_the_pool_override()
    {
        var weir = new WeirOptions();
        weir.Pool("p").EnvironmentVariables["A"] = "own";
        weir.Pool("p").Configuration["word"] = "own";
        (weir.PoolDefaults.EnvironmentVariables["A"], weir.PoolDefaults.EnvironmentVariables["a"], weir.PoolDefaults.EnvironmentVariables["B"]) = ("all", "all", "all");
        (weir.PoolDefaults.Configuration["WORD"], weir.PoolDefaults.Configuration["other"]) = ("all", "all");

        var merged = weir.Pool("p").Merged();
        Assert.Equal([("A", "own"), ("B", "all"), ("a", "all")], merged.EnvironmentVariables.Select(static one => (one.Key, one.Value)).OrderBy(static one => one.Key, StringComparer.Ordinal));
        Assert.Equal([("other", "all"), ("word", "own")], merged.Configuration.Select(static one => (one.Key, one.Value)).OrderBy(static one => one.Key, StringComparer.Ordinal));

        // What a pool was asked for is what was set in it.
        Assert.Equal(["A"], weir.Pool("p").EnvironmentVariables.Keys);

        // A reload begins with a copy: what it removes stays removed.
        merged.EnvironmentVariables.Remove("B");
        Assert.Equal(["A", "a"], merged.Copy().EnvironmentVariables.Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void The_configuration_of_a_pool_overrides_defaults_wherever_those_are_set()
    {
        var weir = Bound(
            """{ "Pools": { "p": { "MaxWorkers": 3, "IdleTimeout": null } }, "PoolDefaults": { "MaxWorkers": 4, "IdleTimeout": "00:00:05", "MinWorkers": 0, "EnvironmentVariables": { "A": "x" } } }""",
            static weir => weir.PoolDefaults.MaxWorkers = 9);
        Assert.Equal((3, 0, null), (weir.Pool("p").MaxWorkers, weir.Pool("p").MinWorkers, weir.Pool("p").IdleTimeout));
        Assert.Equal((9, 0, TimeSpan.FromSeconds(5)), (weir.Pool("q").MaxWorkers, weir.Pool("q").MinWorkers, weir.Pool("q").IdleTimeout));
        Assert.Equal("x", weir.Pool("q").Merged().EnvironmentVariables["A"]);
    }

    [Fact]
    public void A_misspelled_default_is_an_error() =>
        Assert.StartsWith(
            "Weir:PoolDefaults:MinWorker is not an option of a pool; the nearest one is MinWorkers.",
            Assert.Throws<InvalidOperationException>(static () => Bound("""{ "PoolDefaults": { "MinWorker": 0 } }""")).Message,
            StringComparison.Ordinal);

    public static TheoryData<Action<WeirOptions>, string> Wrong => new()
    {
        { static weir => weir.PoolDefaults.MaxWorkers = 0, "MaxWorkers of pool 'p' is 0 (set in PoolDefaults); set it to 1 to 1024." },
        { static weir => weir.Pool("p").MaxWorkers = 0, "MaxWorkers of pool 'p' is 0; set it to 1 to 1024." },
        { static weir => (weir.PoolDefaults.MinWorkers, weir.Pool("p").MaxWorkers) = (3, 2), "MinWorkers of pool 'p' is 3 (set in PoolDefaults); set it to 0 to MaxWorkers (2)." },
        { static weir => (weir.PoolDefaults.MaxWorkers, weir.Pool("p").MinWorkers) = (2, 3), "MinWorkers of pool 'p' is 3; set it to 0 to MaxWorkers (2, set in PoolDefaults)." },
        { static weir => weir.PoolDefaults.EnvironmentVariables["A=B"] = "x", "EnvironmentVariables of pool 'p' is 'A=B' (set in PoolDefaults); name a variable" },
        { static weir => weir.PoolDefaults.EnvironmentVariables["A"] = "\0", "EnvironmentVariables:A of pool 'p' is a text with a zero character (set in PoolDefaults);" },
        { static weir => weir.PoolDefaults.Configuration["key"] = new string('x', 1_000_000), "Configuration of pool 'p' is 1000011 bytes with what PoolDefaults has;" },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void An_error_names_the_pool_and_says_where_the_value_is(Action<WeirOptions> set, string start)
    {
        var weir = new WeirOptions();
        set(weir);
        var failure = Assert.Throws<InvalidOperationException>(() => Start(weir, "p").Dispose());
        Assert.StartsWith(start, failure.Message, StringComparison.Ordinal);
        Assert.EndsWith($"See {WeirCodes.InvalidOptions}.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_value_that_a_reload_sets_is_not_one_of_the_defaults()
    {
        var weir = new WeirOptions();
        weir.PoolDefaults.StartTimeout = TimeSpan.FromSeconds(3);
        var copy = weir.Pool("p").Merged().Copy();
        Assert.True(copy.IsFromDefaults(nameof(copy.StartTimeout)));
        copy.StartTimeout = TimeSpan.FromSeconds(4);
        Assert.False(copy.IsFromDefaults(nameof(copy.StartTimeout)));
    }

    [Fact]
    public async Task One_line_lets_hundreds_of_pools_keep_no_worker()
    {
        string[] names = [.. Enumerable.Range(0, 300).Select(static number => $"kind{number}")];
        var weir = new WeirOptions { MaxWorkers = 10 };
        var failure = Assert.Throws<InvalidOperationException>(() => Start(weir, names).Dispose());
        Assert.Contains("MinWorkers of all pools together (300; PoolDefaults.MinWorkers sets it for every pool that does not)", failure.Message, StringComparison.Ordinal);

        weir.PoolDefaults.MinWorkers = 0;
        weir.Pool("kind7").MinWorkers = 2;
        await using var application = Start(weir, names);
        var pools = application.GetRequiredService<WeirRuntime>().Pools;
        Assert.Equal(300, pools.Count);
        Assert.Equal(["kind7"], pools.Where(static pool => pool.MinWorkers > 0).Select(static pool => pool.Name));
    }

    private static WeirOptions Bound(string json, Action<WeirOptions>? code = null) => WeirOptions.Create(
        new ConfigurationBuilder().AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes($$"""{ "Weir": {{json}} }"""))).Build(),
        code is null ? [] : [new ConfigureOptions<WeirOptions>(code)]);

    /// <summary>An application with a pool for each name, whose workers are not started.</summary>
    private static ServiceProvider Start(WeirOptions weir, params string[] pools)
    {
        weir.PoolDefaults.Launcher = new ManualLauncher();
        weir.RunInline = false;
        var provider = new ServiceCollection().AddSingleton(weir).AddWeirCatalogs("none", [new PoolsCatalog(pools)]).BuildServiceProvider();
        try
        {
            provider.GetRequiredService<WeirRuntime>();
            return provider;
        }
        catch
        {
            provider.Dispose();
            throw;
        }
    }

    private sealed class PoolsCatalog(string[] pools) : ServiceCatalog
    {
        public override string AssemblyName => "none";

        public override Guid Identity => Guid.Empty;

        public override IReadOnlyList<Service> Services { get; } = [.. pools.Select(static pool => new Service
        {
            Name = pool,
            TypeName = pool,
            CreateInstance = static _ => new object(),
            Operations =
            [
                new Operation
                {
                    Name = "Run",
                    Verbs = Verbs.Post,
                    Placement = Placement.Isolated,
                    Pool = pool,
                    ResultKind = ResultKind.Value,
                    Signature = 0,
                    CreateCall = static operation => new DelegateCall(operation, static _ => 0),
                },
            ],
        })];

        public override IReadOnlyList<Proxy> Proxies => [];
    }
}
