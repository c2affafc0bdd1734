using System.ComponentModel;
using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Filters of Weir that are no attributes: lambdas in the options, and classes from the container. They see arguments, result and attributes.</summary>
public sealed class OperationFilterTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Inline")]
    [InlineData("Lane")]
    [InlineData("Worker")]
    public async Task A_filter_reads_and_replaces_arguments_and_the_result(string operation)
    {
        var seen = new List<object?>();
        await using var host = await StartAsync(options => options.Filters.Add(async (context, next) =>
        {
            seen.Add(context.GetArgument("X"));
            context.SetArgument("x", (int)context.GetArgument(0)! + 100);
            await next();
            seen.Add(context.Result);
            context.Result = (int)context.Result! + 1;
        }));

        Assert.Equal("102", await host.Client.GetStringAsync($"/Filtered/{operation}?x=1", Cancel));
        Assert.Equal([1, 101], seen);
    }

    [Fact]
    public async Task Filters_of_options_and_container_are_sorted_together()
    {
        var order = new List<string>();
        await using var host = await StartAsync(
            options =>
            {
                options.Filters.Add((_, next) => Mark(order, "last", next));
                options.Filters.Add((_, next) => Mark(order, "second", next), order: 2);
                options.Filters.Add((_, next) => Mark(order, "first", next), order: -1);
            },
            services => services.AddSingleton(order).AddSingleton<IOperationFilter, FromContainer>().AddSingleton<IOperationFilter, UnorderedFromContainer>());

        Assert.Equal("1", await host.Client.GetStringAsync("/Filtered/Inline?x=1", Cancel));
        Assert.Equal(["first", "container", "second", "last", "unordered"], order);
    }

    [Fact]
    public async Task A_filter_asks_for_the_attributes_of_the_operation()
    {
        var seen = new List<string>();
        await using var host = await StartAsync(options => options.Filters.Add((context, next) =>
        {
            seen.AddRange(context.Operation.Attributes.OfType<DescriptionAttribute>().Select(static one => one.Description));
            return next();
        }));

        await host.Client.GetStringAsync("/Filtered/Inline?x=1", Cancel);
        await host.Client.GetStringAsync("/Filtered/Lane?x=1", Cancel);
        Assert.Equal(["inline"], seen);
    }

    [Fact]
    public async Task A_filter_that_does_not_call_next_answers_what_it_set_or_204()
    {
        await using var host = await StartAsync(static options => options.Filters.Add(static (context, _) =>
        {
            if (context.GetArgument(0) is 1)
            {
                context.Result = 7;
            }

            return default;
        }));

        Assert.Equal("7", await host.Client.GetStringAsync("/Filtered/Inline?x=1", Cancel));
        using var empty = await host.Client.GetAsync("/Filtered/Inline?x=2", Cancel);
        Assert.Equal(HttpStatusCode.NoContent, empty.StatusCode);
    }

    [Fact]
    public async Task A_name_without_a_parameter_is_refused()
    {
        await using var host = await StartAsync(static options => options.Filters.Add(static (context, next) =>
        {
            var error = Assert.Throws<ArgumentException>(() => context.GetArgument("y"));
            Assert.Contains("Filtered/Inline has no parameter 'y' that callers supply; it has x.", error.Message, StringComparison.Ordinal);
            return next();
        }));

        Assert.Equal("1", await host.Client.GetStringAsync("/Filtered/Inline?x=1", Cancel));
    }

    private static ValueTask Mark(List<string> order, string name, Func<ValueTask> next)
    {
        order.Add(name);
        return next();
    }

    private static Task<WeirHost> StartAsync(Action<WeirOptions> configure, Action<IServiceCollection>? services = null) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = Generated.ApplicationCatalog.Catalogs,
        Weir = options =>
        {
            TestPools.StartOnDemand(options, static pool => pool.MaxWorkers = 1);
            configure(options);
        },
        Services = builder => services?.Invoke(builder.Services),
    });

    private sealed class FromContainer(List<string> order) : IOperationFilter
    {
        public int Order => 1;

        public ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next) => Mark(order, "container", next);
    }

    private sealed class UnorderedFromContainer(List<string> order) : IOperationFilter
    {
        public ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next) => Mark(order, "unordered", next);
    }
}
