using System.Text;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Options;

namespace Weir.Tests.AspNetCore;

public sealed class WeirServerOptionsTests
{
    private static readonly WeirServerOptionsValidation Validation = new();

    public static TheoryData<Action<WeirServerOptions>, string> Wrong => new()
    {
        { static options => options.FlushSize = 0, "WeirServerOptions.FlushSize is 0; set it from 1 to 16777216 bytes. See WEIR3002." },
        { static options => options.FlushDelay = TimeSpan.FromMilliseconds(-1), "WeirServerOptions.FlushDelay is -00:00:00.0010000; set it from zero to 00:01:00. See WEIR3002." },
        { static options => options.HeartbeatInterval = TimeSpan.Zero, "WeirServerOptions.HeartbeatInterval is 00:00:00; set it from 00:00:00.0100000 to 1.00:00:00, or to null for no heartbeat. See WEIR3002." },
        { static options => options.ReaderStallTimeout = TimeSpan.MaxValue, "or to null for no limit. See WEIR3002." },
        { static options => options.StreamUnsentLimit = 10, "WeirServerOptions.StreamUnsentLimit is 10; set it to 4096 bytes or more, or to null for the system's own. See WEIR3002." },
        { static options => options.ResumeBufferSize = 100, "WeirServerOptions.ResumeBufferSize is 100; set it from 16384 to 1073741824 bytes. See WEIR3002." },
        { static options => options.ResumeMemoryLimit = 5, "WeirServerOptions.ResumeMemoryLimit is 5; set it to ResumeBufferSize, which is 1048576 bytes, or more, or to null for no limit. See WEIR3002." },
        { static options => options.ResumeWindow = TimeSpan.FromDays(2), "WeirServerOptions.ResumeWindow is 2.00:00:00; set it from zero to 1.00:00:00. See WEIR3002." },
    };

    [Fact]
    public void Defaults_are_those_of_the_documentation()
    {
        var options = new WeirServerOptions();
        Assert.Equal(32 * 1024, options.FlushSize);
        Assert.Equal(TimeSpan.FromMilliseconds(5), options.FlushDelay);
        Assert.Equal(TimeSpan.FromSeconds(15), options.HeartbeatInterval);
        Assert.Equal(TimeSpan.FromSeconds(30), options.ReaderStallTimeout);
        Assert.Equal(64 * 1024, options.StreamUnsentLimit);
        Assert.Equal((1024 * 1024, 64 * 1024 * 1024, TimeSpan.FromSeconds(30)), (options.ResumeBufferSize, options.ResumeMemoryLimit, options.ResumeWindow));
        Assert.False(options.RefuseUnknownArguments);
        Assert.False(options.IncludeExceptionDetails);
        Assert.True(Validation.Validate(null, options).Succeeded);
    }

    [Fact]
    public void Null_means_no_limit_and_is_allowed() =>
        Assert.True(Validation.Validate(null, new WeirServerOptions { HeartbeatInterval = null, ReaderStallTimeout = null, StreamUnsentLimit = null, ResumeMemoryLimit = null }).Succeeded);

    [Theory]
    [MemberData(nameof(Wrong))]
    public void An_invalid_option_is_rejected_with_its_name_and_value(Action<WeirServerOptions> change, string message)
    {
        var options = new WeirServerOptions();
        change(options);
        Assert.Contains(message, Assert.Single(Validation.Validate(null, options).Failures!), StringComparison.Ordinal);
    }

    [Fact]
    public void Every_option_is_read_from_the_configuration()
    {
        var options = Read("""
            {
              "flushsize": 1, "FlushDelay": "00:00:00.002", "HeartbeatInterval": null, "ReaderStallTimeout": "00:00:03", "StreamUnsentLimit": 5000,
              "RequestItemLimit": 6, "SenderStallTimeout": "00:00:07", "RefuseUnknownArguments": true, "IncludeExceptionDetails": true,
              "ResumeBufferSize": 20000, "ResumeMemoryLimit": 9000000000, "ResumeWindow": "00:00:08"
            }
            """);
        Assert.Equal((1, TimeSpan.FromMilliseconds(2), null, TimeSpan.FromSeconds(3)), (options.FlushSize, options.FlushDelay, options.HeartbeatInterval, options.ReaderStallTimeout));
        Assert.Equal((20000, 9_000_000_000, TimeSpan.FromSeconds(8)), (options.ResumeBufferSize, options.ResumeMemoryLimit, options.ResumeWindow));
        Assert.Equal((5000, 6, TimeSpan.FromSeconds(7)), (options.StreamUnsentLimit, options.RequestItemLimit, options.SenderStallTimeout));
        Assert.True(options is { RefuseUnknownArguments: true, IncludeExceptionDetails: true });
        Assert.Null(Read("""{ "StreamUnsentLimit": null }""").StreamUnsentLimit);
    }

    [Fact]
    public void Code_sees_the_configured_options_and_overrides_them_even_if_it_was_registered_before_AddWeir()
    {
        var options = Read(
            """{ "FlushSize": 10, "RequestItemLimit": 20 }""",
            static services => services.Configure<WeirServerOptions>(static server => server.FlushSize += 1),
            static services => services.AddWeirServer(static server => server.RequestItemLimit += 2));
        Assert.Equal((11, 22), (options.FlushSize, options.RequestItemLimit));
    }

    [Fact]
    public void Without_a_configuration_the_defaults_are_kept()
    {
        using var provider = new ServiceCollection().AddWeirServer().BuildServiceProvider();
        Assert.Equal(32 * 1024, provider.GetRequiredService<IOptions<WeirServerOptions>>().Value.FlushSize);
    }

    [Theory]
    [InlineData("""{ "FlushSiz": 1 }""", "Weir:Server:FlushSiz is not an option of the server; the nearest one is FlushSize. The options of the server are FlushDelay, FlushSize, HeartbeatInterval, ")]
    [InlineData("""{ "FlushSize": "many" }""", "Weir:Server:FlushSize is 'many'; write a whole number.")]
    [InlineData("""{ "FlushDelay": "5" }""", "Weir:Server:FlushDelay is '5'; write hours:minutes:seconds")]
    [InlineData("""{ "FlushDelay": null }""", "Weir:Server:FlushDelay is null; write one value.")]
    [InlineData("""{ "IncludeExceptionDetails": "yes" }""", "Weir:Server:IncludeExceptionDetails is 'yes'; write true or false.")]
    [InlineData("5", "Weir:Server is '5'; write a section with the options of the server.")]
    public void What_does_not_fit_is_named_with_its_key_its_value_and_the_next_step(string server, string start)
    {
        var failure = Assert.Throws<InvalidOperationException>(() => Read(server));
        Assert.StartsWith(start, failure.Message, StringComparison.Ordinal);
        Assert.EndsWith($"See {WeirCodes.InvalidOptions}.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_configured_value_that_cannot_hold_is_refused_as_one_of_code_is()
    {
        var failure = Assert.Throws<OptionsValidationException>(() => Read("""{ "FlushSize": 0 }"""));
        Assert.Contains("WeirServerOptions.FlushSize is 0; set it from 1 to 16777216 bytes.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_section_of_the_server_is_known_where_there_is_a_server_and_an_error_elsewhere()
    {
        const string Json = """{ "server": { "FlushSize": 1 }, "MaxWorkers": 3 }""";
        Assert.Equal(3, ReadAll(Json, hasServer: true).MaxWorkers);

        var failure = Assert.Throws<InvalidOperationException>(() => ReadAll(Json, hasServer: false));
        Assert.StartsWith("Weir:server has options of the server, and nothing reads them here: the section Weir:Server is read where Weir.AspNetCore is registered.", failure.Message, StringComparison.Ordinal);
        Assert.EndsWith($"See {WeirCodes.InvalidOptions}.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_section_of_the_server_is_among_the_known_keys_only_where_there_is_a_server()
    {
        const string Json = """{ "Serve": 1 }""";
        Assert.Contains("the nearest one is Server. The options of Weir are ", Assert.Throws<InvalidOperationException>(() => ReadAll(Json, hasServer: true)).Message, StringComparison.Ordinal);
        Assert.DoesNotContain("Server", Assert.Throws<InvalidOperationException>(() => ReadAll(Json, hasServer: false)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Options_bound_from_another_section_do_not_ignore_those_of_the_server() =>
        Assert.Contains(
            "Other:Server has options of the server",
            Assert.Throws<InvalidOperationException>(static () => new WeirOptions().Bind(Configuration("""{ "Other": { "Server": { "FlushSize": 1 } } }""").GetSection("Other"))).Message,
            StringComparison.Ordinal);

    [Theory]
    [InlineData(Verbs.Get, "GET, HEAD, OPTIONS")]
    [InlineData(Verbs.Get | Verbs.Post, "GET, HEAD, POST, OPTIONS")]
    [InlineData(Verbs.Put | Verbs.Delete | Verbs.Patch, "PUT, DELETE, PATCH, OPTIONS")]
    public void The_Allow_header_lists_the_verbs(Verbs verbs, string header)
    {
        var allowed = new AllowedVerbs(verbs);
        Assert.Equal(header, allowed.Header);
        Assert.All(["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"], verb => Assert.Equal(header.Contains(verb, StringComparison.Ordinal), allowed.Contains(verb)));
        Assert.False(allowed.Contains("OPTIONS"));
    }

    private static WeirServerOptions Read(string server, Action<IServiceCollection>? before = null, Action<IServiceCollection>? after = null)
    {
        var services = new ServiceCollection();
        services.AddSingleton<IConfiguration>(Configuration($$"""{ "Weir": { "Server": {{server}} } }"""));
        before?.Invoke(services);
        services.AddWeirServer();
        after?.Invoke(services);
        using var provider = services.BuildServiceProvider();
        return provider.GetRequiredService<IOptions<WeirServerOptions>>().Value;
    }

    private static WeirOptions ReadAll(string weir, bool hasServer)
    {
        var services = new ServiceCollection();
        services.AddSingleton<IConfiguration>(Configuration($$"""{ "Weir": {{weir}} }"""));
        services.AddWeirCatalogs("none", []);
        if (hasServer)
        {
            services.AddWeirServer();
        }

        using var provider = services.BuildServiceProvider();
        return provider.GetRequiredService<WeirOptions>();
    }

    private static IConfigurationRoot Configuration(string json) => new ConfigurationBuilder().AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes(json))).Build();
}
