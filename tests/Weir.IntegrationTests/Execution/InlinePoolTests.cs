using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Weir.IntegrationTests.Services;
using Weir.ReportLibrary;
using Xunit;

namespace Weir.IntegrationTests.Execution;

/// <summary>Isolated operations that run in the host, as under a debugger: with the services of a worker, or with its failure.</summary>
public sealed class InlinePoolTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Isolated_classes_have_the_services_of_their_worker_and_none_of_the_application()
    {
        await using var application = Start(static options => options.Pool("reports").Configuration["printer"] = "the pool's");
        Assert.Equal("sales in French on the pool's", await application.Get<IReportsClient>().Build("sales", Token));
    }

    [Fact]
    public async Task They_inherit_the_sections_that_a_worker_inherits()
    {
        await using var application = Start(static options => options.Pool("reports").InheritedConfiguration = ["Reports"]);
        Assert.Equal("French", await application.Get<IReportsClient>().Setting("Reports:Language", Token));
        Assert.Null(await application.Get<IReportsClient>().Setting("Printer", Token));
    }

    [Fact]
    public async Task Each_call_has_a_scope_which_is_disposed_with_it()
    {
        await using var application = Start();
        var scopes = application.Get<IScopesClient>();
        var (first, second) = (await scopes.Number(Token), await scopes.Number(Token));
        Assert.Equal(first + 1, second);
        Assert.Equal(second, await scopes.Disposed(Token));
    }

    [Theory]
    [InlineData("throw", "it failed in phase 'build services': System.InvalidOperationException: no database")]
    [InlineData("nothing", "it failed in phase 'create Weir.IntegrationTests.Services.Needy'")]
    public async Task What_would_fail_the_start_of_a_worker_fails_the_calls_with_the_same_phase(string start, string expected)
    {
        await using var application = Start(options => options.Pool("needy").Configuration["start"] = start);
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => application.Get<INeedyClient>().Greet("Ada", Token).AsTask());
        Assert.Equal(WeirCodes.WorkerStartFailed, failure.Code);
        Assert.Contains(expected, failure.Message, StringComparison.Ordinal);

        // Others are not affected.
        Assert.Equal("sales in French on the host's", await application.Get<IReportsClient>().Build("sales", Token));
    }

    [Fact]
    public async Task The_start_waits_for_them_where_the_pool_has_a_minimum()
    {
        await using var application = Start(static options => (options.Pool("needy").MinWorkers, options.Pool("needy").Configuration["start"]) = (1, "throw"));
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => application.Runtime.WaitUntilReadyAsync(Token));
        Assert.Contains("no database", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_fake_takes_the_place_of_a_service()
    {
        await using var application = Start(static options => options.InlineServices = static services => services.AddSingleton(new Printer("a fake")));
        Assert.Equal("sales in French on a fake", await application.Get<IReportsClient>().Build("sales", Token));

        // This assembly's method returns a container of its own.
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => application.Get<INeedyClient>().Greet("Ada", Token).AsTask());
        Assert.Contains("InlineServices is set, and the [WorkerServices] method of Weir.IntegrationTests returns an IServiceProvider", failure.Message, StringComparison.Ordinal);
    }

    // The application's container has the same types, configured in another way.
    private static Application Start(Action<WeirOptions>? configure = null) => new(
        options =>
        {
            options.RunInline = true;
            configure?.Invoke(options);
        },
        static services => services
            .AddSingleton<IConfiguration>(new ConfigurationBuilder().AddInMemoryCollection([new("Reports:Language", "French"), new("Printer", "the host's")]).Build())
            .Configure<ReportOptions>(static options => options.Language = "the application's")
            .AddSingleton(new Printer("the application's"))
            .AddSingleton<IGreeting>(new Greeting("Not"))
            .AddLogging());
}
