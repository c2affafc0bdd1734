using Weir.Execution.Pipeline;

namespace Weir.Tests.Execution;

public sealed class FilterChainTests
{
    [Fact]
    public async Task Filters_run_by_one_stable_sort_over_global_service_and_operation()
    {
        // LightNode's order test with four filters without an order: ties stay global, service, operation.
        var names = new List<string>();
        var operation = Some.Operation(
            new NamedFilter("Contract1", names) { Order = -int.MaxValue },
            new NamedFilter("CD", names),
            new NamedFilter("Method1", names) { Order = 0 },
            new NamedFilter("MD", names));
        IOperationFilter[] global =
        [
            new NamedFilter("Global2", names) { Order = 1000 },
            new NamedFilter("Global1", names) { Order = -1000 },
            new NamedFilter("GA", names),
            new NamedFilter("GB", names),
        ];

        await new FilterChain(global, operation).RunAsync(Some.Context(operation), () =>
        {
            names.Add("operation");
            return default;
        });

        Assert.Equal(["Contract1", "Global1", "Method1", "Global2", "GA", "GB", "CD", "MD", "operation"], names);
    }

    [Fact]
    public async Task A_filter_that_does_not_call_next_skips_the_operation()
    {
        var ran = false;
        var operation = Some.Operation(new SkippingFilter());

        await new FilterChain([], operation).RunAsync(Some.Context(operation), () =>
        {
            ran = true;
            return default;
        });

        Assert.False(ran);
    }

    [Fact]
    public async Task A_filter_may_catch_what_the_operation_throws_and_replace_the_result()
    {
        var operation = Some.Operation(new CatchingFilter());
        var context = Some.Context(operation);

        await new FilterChain([], operation).RunAsync(context, static () => throw new InvalidOperationException("broken"));

        Assert.Equal(42, context.Call.Result);
    }

    private sealed class NamedFilter(string name, List<string> names) : OperationFilterAttribute
    {
        public override ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
        {
            names.Add(name);
            return next();
        }
    }

    private sealed class SkippingFilter : OperationFilterAttribute
    {
        public override ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next) => default;
    }

    private sealed class CatchingFilter : OperationFilterAttribute
    {
        public override async ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
        {
            try
            {
                await next();
            }
            catch (InvalidOperationException)
            {
                context.Call.Result = 42;
            }
        }
    }
}
